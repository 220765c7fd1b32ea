@testable import MeshRelay

/// What comes to a node of a mesh: packets that are read again as they were written, a router that stays bounded and
/// counts each packet once, links that are read again as they are shown.
@Sendable func decodeRelay(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    switch source.number(below: 3) {
    case 0: decodePacket(source.rest())
    case 1: decodeLink(String(decoding: source.rest(), as: UTF8.self))
    default: decodeRouting(&source)
    }
}

private func decodePacket(_ bytes: [UInt8]) {
    guard let packet = try? RelayPacket(bytes) else { return }
    if let bridged = RelayPacket.bridged(bytes), bridged.count <= RelayPacket.maximumByteCount {
        precondition((try? RelayPacket(bridged)) == packet, "a bridged packet is read differently")
        precondition(RelayPacket.bridged(bridged) == nil, "a packet is bridged twice")
    }
    for generation in RelayGeneration.allCases {
        let encoded = packet.encoded(for: generation)
        guard encoded.count <= RelayPacket.maximumByteCount else { continue }
        precondition((try? RelayPacket(encoded)) == packet, "a packet is read differently")
    }
    guard let receipt = try? RelayReceipt(packet) else { return }
    var again = packet
    again.text = receipt.text
    precondition((try? RelayReceipt(again)) == receipt, "a receipt is read differently")
}

private func decodeLink(_ text: String) {
    guard let link = try? RelayLink(text) else { return }
    precondition((try? RelayLink("\(link)")) == link, "a link is read differently")
}

private func decodeRouting(_ source: inout ByteSource) {
    guard let address = try? RelayAddress("a#1") else { preconditionFailure("it is one") }
    var limits = RelayLimits()
    limits.seenCount = 8
    limits.queueCount = 4
    limits.routeCount = 4
    limits.rateCount = 4
    limits.neighbourRate = 16
    limits.senderRate = 8
    var router = Router(address: address, generation: .both, limits: limits)
    var now = Duration.zero
    while !source.isEmpty {
        now += .seconds(source.number(below: 100))
        let neighbour = NeighbourID(source.number(below: 6))
        let names = ["a#1", "b#2", "c#3"]
        let event: Router.Event
        switch source.number(below: 6) {
        case 0: event = .joined(neighbour)
        case 1: event = .left(neighbour)
        case 2: event = .received(source.text(), from: neighbour)
        default:
            let kind = source.element(of: [RelayPacket.Kind.message, .acknowledgement, .read])
            let number = Int32(source.number(below: 8))
            let text =
                switch kind {
                case .acknowledgement: RelayReceipt.received(number).text
                case .read: RelayReceipt.read([number]).text
                case .message, .position: "AAAA"
                }
            let packet = RelayPacket(
                id: Int32(source.number(below: 8)),
                kind: kind,
                sender: source.element(of: names),
                receiver: source.element(of: names),
                text: text
            )
            event =
                packet.sender == "a#1"
                ? .originated(packet) : .received(packet.encoded(for: .both), from: neighbour)
        }
        for case .send(_, let receivers) in router.handle(event, at: now) {
            precondition(!receivers.isEmpty && Set(receivers).count == receivers.count)
        }
        precondition(router.queuedCount <= 4 && router.rememberedCount <= 8 + 4 + 4 + 4)
        let counters = router.counters
        let dropped = counters.dropped.values.reduce(0, +)
        precondition(counters.received == counters.delivered + counters.relayed + dropped)
    }
}
