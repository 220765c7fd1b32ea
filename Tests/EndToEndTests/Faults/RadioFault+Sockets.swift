import BLE
import BLEDBus
import BlueZ
import Testing
import VirtualBlueZ

extension RadioFault {
    private static let ends: Set = ["peerGone", "servicesInvalidated"]

    /// What becomes of exclusive access.
    static let sockets = [
        RadioFault(
            "the link ends, with sockets and a stream open",
            central: ["disconnected (peerGone)", "a write into a socket failed (peerGone)"],
            peripheral: ["disconnected", "connected"],
            make: { scene in
                let writer = try await scene.openAll()
                try await scene.world.endLink(from: 1, to: 0)
                _ = try await scene.settle()
                scene.begin("a write into a socket", ["peerGone"]) {
                    try await writer.write([1])
                    return "done"
                }
            }
        ),
        RadioFault(
            "the services are withdrawn, with sockets and a stream open",
            central: ["services invalidated"],
            make: { scene in
                let writer = try await scene.openAll()
                await scene.withdraw()
                _ = try await scene.settle()
                scene.begin("a write into a socket", ends) {
                    try await writer.write([1])
                    return "done"
                }
            }
        ),
        RadioFault(
            "another program has the sockets",
            make: { scene in
                let link = try scene.link
                let (input, output) = (PortScene.input, PortScene.output)
                try await scene.acquire("AcquireWrite", input)
                try await scene.acquire("AcquireNotify", output)
                scene.begin("an access for writing", ["busy"]) {
                    _ = try await link.acquireWriter(for: input)
                    return "done"
                }
                scene.begin("a write command", ["busy"]) {
                    try await link.writeWithoutResponse([1], to: input)
                    return "done"
                }
                scene.begin("an access to notifications", ["busy"]) {
                    _ = try await link.acquireReader(for: output)
                    return "done"
                }
                scene.begin("a subscription", ["busy"]) {
                    try await link.subscribe(to: output)
                    return "done"
                }
            },
            undo: { try await $0.letGo() }
        ),
        RadioFault(
            "another program ends the socket for notifications",
            make: { scene in
                let reader = try await scene.link.acquireReader(for: PortScene.output)
                scene.begin("a socket for notifications", ["peerGone"]) {
                    for try await _ in reader.values {}
                    return "ended"
                }
                try await scene.stranger.stopNotify(text(PortScene.output), of: 1, with: 0)
            }
        ),
    ]

    /// What becomes of values that nobody takes.
    static let unread = [
        RadioFault(
            "nobody reads a stream of notifications",
            make: { scene in
                let values = try await scene.link.notifications(of: PortScene.output)
                try await scene.notifyMany()
                scene.begin("the stream", ["overflow"]) {
                    for try await _ in values {}
                    return "ended"
                }
            }
        ),
        RadioFault(
            "nobody reads a link's events",
            make: { scene in
                let peer = try scene.link.peer
                let other = try await scene.ports.central.connect(to: peer)
                try await other.subscribe(to: PortScene.output)
                try await scene.notifyMany()
                scene.begin("the link", ["overflow"]) {
                    for await case .disconnected(let error) in other.events {
                        if let error { throw error }
                    }
                    return "ended"
                }
            }
        ),
        RadioFault(
            "nobody reads a socket for notifications",
            make: { scene in
                let reader = try await scene.link.acquireReader(for: PortScene.output)
                try await scene.notifyMany(isAcquired: true)
                scene.begin("a socket for notifications", ["overflow"]) {
                    for try await _ in reader.values {}
                    return "ended"
                }
            }
        ),
    ]

    fileprivate static func text(_ attribute: AttributeID) -> String {
        attribute.characteristic.longText.lowercased()
    }
}

extension RadioFaultScene {
    /// Notifies far more values than may wait, and sees that they arrive: a few at a time, as nothing else
    /// keeps the sender back.
    ///
    /// - Parameter isAcquired: whether they go into a socket; then another characteristic tells how far
    ///   they have come.
    /// - Throws: when there is no link any more.
    fileprivate func notifyMany(isAcquired: Bool = false) async throws {
        let fence = isAcquired ? PortScene.level : PortScene.output
        var values = try await link.notifications(of: fence).makeAsyncIterator()
        for number in 0..<640 {
            try await publication.update(PortScene.output, to: [UInt8(number % 256)])
            guard number % 32 == 31 else { continue }
            if isAcquired { try await publication.update(fence, to: [UInt8(number % 256)]) }
            while let value = try await values.next(), value != [UInt8(number % 256)] {}
        }
    }

    /// Lets another program acquire a characteristic, until ``letGo()``.
    ///
    /// One that stays on the bus: bluetoothd 5.66 may die of one that leaves it with a socket.
    fileprivate func acquire(_ member: String, _ attribute: AttributeID) async throws {
        let path = try await object(of: attribute)
        let options: [Value] = [.properties([:])]
        keep(try await observer.call(path, "GattCharacteristic1", member, options))
    }

    /// Closes the sockets of the other program; returns when bluetoothd has noticed.
    fileprivate func letGo() async throws {
        keep(nil)
        for (attribute, name) in [
            (PortScene.input, "WriteAcquired"), (PortScene.output, "NotifyAcquired"),
        ] {
            try await observer.wait(
                for: name,
                of: "GattCharacteristic1",
                at: object(of: attribute)
            ) { $0?.bool == false }
        }
    }

    /// The central's object of a characteristic.
    private func object(of attribute: AttributeID) async throws -> ObjectPath {
        let device = try world.device(1).rawValue + "/"
        for path in try await observer.objects(with: "GattCharacteristic1")
        where path.rawValue.hasPrefix(device) {
            let found = try await observer.property("UUID", of: "GattCharacteristic1", at: path)
            if found?.string == RadioFault.text(attribute) { return path }
        }
        throw ErrorReply(.unknownObject, "there is no \(attribute)")
    }
}
