import Testing

extension Fault {
    private static func virtual(_ scene: FaultScene) throws -> VirtualWorld {
        try #require(scene.world as? VirtualWorld)
    }

    /// What happens to the bus.
    static let bus = [
        Fault(
            "the bus hangs, and goes on",
            waiting: .answered,
            asker: nil,
            ball: nil,
            virtualOnlyBecause: "all of the guest is on its bus",
            make: { scene in
                try virtual(scene).pauseBus()
                await scene.ball.letAnswer()
            },
            undo: { try virtual($0).resumeBus() }
        ),
        Fault(
            "the bus ends",
            waiting: .failed(["noService", "stopped", "deviceOffline"]),
            asker: ["radio absent", "error (stopped)"],
            ball: ["radio absent", "error (stopped)"],
            recovers: false,
            virtualOnlyBecause: "all of the guest is on its bus",
            make: { try virtual($0).endBus() }
        ),
    ]
}
