internal import DBus

/// The MTUs of links, and what follows from them.
///
/// Source: BlueZ, src/gatt-client.c, `characteristic_get_mtu`, `att_exchange`; src/shared/att.c,
/// `bt_att_set_mtu`.
extension VirtualDaemon {
    /// How long what travels between an adapter and a peer may be.
    func limits(of id: DeviceID) -> AttributeLimits {
        AttributeLimits(mtu: world.links[id.adapter, id.peer]?.mtu ?? setup.mtu, behavior)
    }

    /// Lets the characteristics of a device have their MTU while it is connected; no signal tells it.
    func showMTU(of id: DeviceID) {
        showMTU(of: id) { _ in false }
    }

    /// Lets both ends of a link have another MTU.
    ///
    /// Characteristics of an earlier link have it without a signal: bluetoothd watches the link over
    /// which it has made their objects.
    func exchange(mtu: Int, over id: DeviceID) {
        guard world.links[id.adapter, id.peer]?.exchange(mtu: mtu) == true else { return }
        for end in [id, id.opposite] {
            let told = device(end)?.servicesOfLink ?? []
            showMTU(of: end) { told.contains($0.handle) }
        }
    }

    private func showMTU(of id: DeviceID, isTold: (VirtualService) -> Bool) {
        guard let device = device(id) else { return }
        let mtu: Value? = isConnected(id) ? .uint16(UInt16(limits(of: id).mtu)) : nil
        for service in device.services {
            let path = service.path(below: device.path)
            for characteristic in service.characteristics {
                bus.change(
                    ["MTU": mtu],
                    of: InterfaceName.characteristic1,
                    at: characteristic.path(below: path),
                    isTold: isTold(service)
                )
            }
        }
    }
}
