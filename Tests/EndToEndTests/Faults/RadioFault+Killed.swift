import BLE
import Testing
import VirtualBlueZ

extension RadioFault {
    /// bluetoothd is killed while it has a call: it was stopped before, so that it can't reply.
    private static func killed(
        _ name: String,
        at member: String,
        isPeripheral: Bool = false,
        after prepare: @escaping Act = { _ in },
        _ work: @escaping @Sendable (RadioFaultScene) async throws -> String
    ) -> RadioFault {
        RadioFault(
            "bluetoothd is killed, with \(name) under way",
            central: ["disconnected (noService)"],
            peripheral: ["ended (noService)", "published"],
            make: { scene in
                try await prepare(scene)
                try await scene.world.pauseDaemon()
                try await scene.begin(
                    name,
                    ["noService", "peerGone", "withdrawn"],
                    upTo: member,
                    by: isPeripheral ? scene.peripheral : scene.central
                ) {
                    try await work(scene)
                }
                try await scene.world.killDaemon()
            },
            undo: { try await $0.world.startDaemon() }
        )
    }

    /// What becomes of each call when bluetoothd is killed.
    static let killed = [
        killed("a read of a descriptor", at: "ReadValue") { scene in
            _ = try await scene.link.read(RadioFaultScene.descriptor)
            return "done"
        },
        killed("a write of a descriptor", at: "WriteValue") { scene in
            try await scene.link.write([1], to: RadioFaultScene.descriptor)
            return "done"
        },
        killed("a write command", at: "WriteValue") { scene in
            try await scene.link.writeWithoutResponse([1], to: PortScene.input)
            return "done"
        },
        killed("a subscription", at: "StartNotify") { scene in
            try await scene.link.subscribe(to: PortScene.level)
            return "done"
        },
        killed("an access for writing", at: "AcquireWrite") { scene in
            _ = try await scene.link.acquireWriter(for: PortScene.input)
            return "done"
        },
        killed("an access to notifications", at: "AcquireNotify") { scene in
            _ = try await scene.link.acquireReader(for: PortScene.level)
            return "done"
        },
        killed(
            "an indication",
            at: "PropertiesChanged",
            isPeripheral: true,
            after: { try await $0.link.subscribe(to: PortScene.confirmed) }
        ) { scene in
            let confirmation = try await scene.publication.indicate(PortScene.confirmed, to: [1])
            return "\(confirmation)"
        },
        killed("a second publication", at: "RegisterApplication", isPeripheral: true) { scene in
            let publication = try await scene.publishOther(with: scene.ports.serving)
            await publication.withdraw()
            return "done"
        },
        killed("an advertisement", at: "RegisterAdvertisement", isPeripheral: true) { scene in
            _ = try await scene.advertise()
            return "done"
        },
        RadioFault(
            "bluetoothd is killed, with sockets, streams and an advertisement open",
            central: ["disconnected (noService)"],
            peripheral: ["ended (noService)", "published"],
            make: { scene in
                let writer = try await scene.openAll()
                let advertising = try await scene.advertise()
                scene.begin("an advertisement", ["noService"], by: scene.peripheral) {
                    try await advertising.waitUntilEnded()
                    return "stopped"
                }
                try await scene.world.killDaemon()
                _ = try await scene.settle()
                scene.begin("a write into a socket", ["noService", "peerGone"]) {
                    try await writer.write([1])
                    return "done"
                }
            },
            undo: { scene in
                await scene.stopAdvertising()
                try await scene.world.startDaemon()
            }
        ),
    ]
}

extension RadioFaultScene {
    /// Opens a socket for writing, one for notifications, and a stream of notifications, whose ends are
    /// waited for.
    ///
    /// - Returns: the socket for writing.
    func openAll() async throws -> any CharacteristicWriter {
        let link = try link
        let writer = try await link.acquireWriter(for: PortScene.input)
        try await writer.write([1])
        let reader = try await link.acquireReader(for: PortScene.output)
        let values = try await link.notifications(of: PortScene.level)
        for (name, values) in [("a socket for notifications", reader.values), ("a stream", values)]
        {
            begin(name, ["noService", "peerGone", "servicesInvalidated"]) {
                for try await _ in values {}
                return "ended"
            }
        }
        return writer
    }

    /// Publishes one more service, with a radio.
    func publishOther(with radio: some PeripheralRadio) async throws -> any Publication {
        try await radio.publish(
            [
                GATTService(
                    uuid: Self.other.service,
                    characteristics: [
                        GATTCharacteristic(uuid: Self.other.characteristic, properties: .read)
                    ]
                )
            ],
            advertising: nil,
            options: [],
            responder: CountingResponder()
        )
    }

    static let other = AttributeID(service: "180A", characteristic: "2A29")
}
