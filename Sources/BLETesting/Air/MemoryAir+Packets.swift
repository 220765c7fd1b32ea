internal import BLE

/// What arrives over connections.
extension MemoryAir {
    /// One end of a connection receives a packet.
    ///
    /// - Parameters:
    ///   - packet: what it is.
    ///   - route: from this end to the other one.
    func receive(_ packet: Packet, at route: Route) {
        switch packet {
        case .request(let id, let request):
            serve(request, id, at: route)
        case .command(let target, let value):
            serve(value, to: target, at: route)
        case .confirmation(let target, let id):
            didConfirm(id, of: target, by: route.to)
        case .response(let id, let result):
            let actions = ends[route]?.client.receive(id, result, nextID: nextNumber())
            carryOut(actions ?? [], on: route)
        case .value(let target, let value, let indication):
            let actions = ends[route]?.client.receive(value, of: target, nextID: nextNumber())
            if let indication, radios[route.from]?.confirmsIndications == true {
                send(.confirmation(target, indication), on: route)
            }
            carryOut(actions ?? [], on: route)
        case .servicesChanged(let served):
            carryOut(ends[route]?.client.receive(served) ?? [], on: route)
        case .mtuChanged(let mtuBytes):
            carryOut(ends[route]?.client.receive(mtuBytes: mtuBytes) ?? [], on: route)
            reportMTU(mtuBytes, of: route.to, to: route.from)
        case .terminated(let error):
            endConnection(at: route, error, forPeer: nil)
        }
    }
}
