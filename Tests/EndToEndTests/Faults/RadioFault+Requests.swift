import BLE
import BlueZ
import Testing
import VirtualBlueZ

extension RadioFault {
    private static let noSilence = "a host can't be stopped alone; see the program that is stopped"

    /// The link ends while the peripheral's host owes a reply.
    private static func lost(
        _ name: String,
        at member: String,
        _ work: @escaping @Sendable (RadioFaultScene) async throws -> Void
    ) -> RadioFault {
        RadioFault(
            "the link ends, with \(name) under way",
            central: ["disconnected (peerGone)"],
            peripheral: ["disconnected", "connected"],
            virtualOnlyBecause: noSilence,
            make: { scene in
                try await scene.pull(.init("Silence", .ball))
                try await scene.begin(name, ["peerGone"], upTo: member) {
                    try await work(scene)
                    return "done"
                }
                try await scene.pull(.init("Disconnect", .between))
            },
            undo: { try await $0.pull(.init("Speak", .ball)) }
        )
    }

    /// What becomes of requests when the link, or the service, goes.
    static let requests = [
        lost("a read of a descriptor", at: "ReadValue") {
            _ = try await $0.link.read(RadioFaultScene.descriptor)
        },
        lost("a subscription", at: "StartNotify") {
            try await $0.link.subscribe(to: PortScene.level)
        },
        RadioFault(
            "a descriptor can't be written",
            make: { scene in
                scene.begin("a write of a descriptor", ["ATT 0x03"]) {
                    try await scene.link.write([1], to: RadioFaultScene.descriptor)
                    return "done"
                }
            }
        ),
        RadioFault(
            "the link ends in the midst of write commands",
            central: ["disconnected (peerGone)"],
            peripheral: ["disconnected", "connected"],
            make: { scene in
                try await scene.writeCommands(["peerGone"])
                try await scene.world.endLink(from: 0, to: 1)
            }
        ),
        RadioFault(
            "the services are withdrawn in the midst of write commands",
            make: { scene in
                try await scene.writeCommands(["servicesInvalidated", "missingAttribute"])
                await scene.withdraw()
            }
        ),
    ]

    /// What becomes of one of two publications when the other one goes.
    static let serving = [
        RadioFault(
            "one of two publications is withdrawn",
            central: ["services invalidated"],
            make: { scene in
                let publication = try await scene.publishOther(with: scene.ports.serving)
                try await scene.discoverOther()
                await publication.withdraw()
                try await scene.expectOtherGone()
            }
        ),
        RadioFault(
            "the program that serves one of two publications ends",
            central: ["services invalidated"],
            make: { scene in
                let radio = try await scene.ports.another()
                _ = try await scene.publishOther(with: radio)
                try await scene.discoverOther()
                await radio.close()
                try await scene.expectOtherGone()
            }
        ),
    ]
}

extension RadioFaultScene {
    /// Pulls a lever of the virtual world.
    func pull(_ lever: FaultScene.Pull) async throws {
        try await #require(world as? VirtualWorld).pull(lever.name, lever.arguments)
    }

    /// Begins to send write commands without an end; returns when some have arrived.
    fileprivate func writeCommands(_ codes: Set<String>) async throws {
        let link = try link
        var arrived = ports.responder.counts.makeAsyncIterator()
        begin("write commands", codes) {
            while true {
                try await link.writeWithoutResponse([1, 2, 3], to: PortScene.input)
            }
        }
        for _ in 0..<20 { _ = await arrived.next() }
    }

    /// Connects anew, and reads the other service's value.
    fileprivate func discoverOther() async throws {
        try await disconnect()
        let link = try await connect()
        _ = try await link.discoverServices()
        try #require(try await link.read(Self.other) == [10])
    }

    /// Sees that the other service is gone, and the first ones are still there.
    fileprivate func expectOtherGone() async throws {
        let link = try link
        let isTold = await central.wait(within: Self.patience) {
            $0.last == "services invalidated"
        }
        try #require(isTold)
        begin("a read of what is gone", ["servicesInvalidated", "missingAttribute"]) {
            _ = try await link.read(Self.other)
            return "done"
        }
        begin("a read of what is there", ["done"]) {
            _ = try await link.read(PortScene.level)
            return "done"
        }
    }
}
