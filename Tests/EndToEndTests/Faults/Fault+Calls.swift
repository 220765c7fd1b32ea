import BLEDBus
import Testing

extension Fault {
    private static let noCalls = "what bluetoothd replies can't be chosen"
    private static let service = "8e38140a-27be-4090-8955-4fc4b5698d1e"
    private static let noServices = "what bluetoothd tells of a peer can't be chosen"

    /// A question on a new link, whose calls meet something; then one without.
    ///
    /// - Parameters:
    ///   - description: what they meet.
    ///   - lever: what makes it so.
    ///   - arguments: the lever's.
    ///   - asker: what has to be told.
    ///   - ball: as much of the ball.
    ///   - whose: which adapters the lever acts on.
    ///   - reason: why the real world can't show it.
    ///   - endsLink: whether the link ends afterwards.
    /// - Returns: the fault.
    private static func call(
        _ description: String,
        _ lever: String,
        _ arguments: Value...,
        asker: [String] = ["answered"],
        ball: [String] = ["answer"],
        whose: FaultScene.Pull.Whose = .nobody,
        because reason: String = noCalls,
        endsLink: Bool = false
    ) -> Fault {
        Fault(
            description,
            asker: asker,
            ball: ball,
            virtualOnlyBecause: reason,
            make: { scene in
                try await scene.endLink()
                try await scene.pull(.init(lever, whose, arguments))
            },
            undo: { scene in
                if try await !scene.world.reviveDaemon() {
                    try await scene.pull(.init("ClearCallFaults", .nobody))
                }
                if endsLink { try await scene.pull(.init("Disconnect", .between)) }
            }
        )
    }

    private static func crash(at member: String) -> Fault {
        call(
            "bluetoothd dies of \(member)",
            "CrashOnCall",
            .string(name(member)),
            asker: ["radio absent", "radio on", "answered"],
            ball: ["radio absent", "advertising", "answer"]
        )
    }

    private static func name(_ member: String) -> String {
        let interface = member == "Connect" ? "Device1" : "GattCharacteristic1"
        return "org.bluez.\(interface).\(member)"
    }

    /// What bluetoothd does to the calls of one question.
    static let calls =
        ["Connect", "StartNotify", "WriteValue", "ReadValue"].map { crash(at: $0) }
        + [("Connect", "timedOut connecting"), ("ReadValue", "timedOut answering")].map {
            (member, failure) in
            call(
                "\(member) is never replied to",
                "IgnoreCall",
                .string(name(member)),
                .uint32(1),
                asker: ["failed (\(failure))", "answered"]
            )
        }
        // As bluetoothd does when a peer owes a reply for 30 s.
        + [("StartNotify", "timedOut subscribing"), ("WriteValue", "timedOut asking")].map {
            (member, failure) in
            call(
                "\(member) is never replied to, and the link ends for it",
                "IgnoreCall",
                .string(name(member)),
                .uint32(1),
                asker: ["failed (\(failure))", "disconnected (deviceOffline)", "answered"],
                endsLink: true
            )
        }
        + ["Connect", "StartNotify", "WriteValue", "ReadValue"].map { member in
            call("\(member) is in progress", "RefuseCall", .string(name(member)), .uint32(1))
        }
        + ["Connect", "StartNotify", "WriteValue"].map { member in
            call(
                "\(member) is replied to late",
                "DelayReply",
                .string(name(member)),
                .uint32(700),
                .uint32(1)
            )
        }
        + [
            call(
                "Connect fails with le-connection-abort-by-local twice",
                "AbortConnections",
                .uint32(2),
                whose: .between
            ),
            call(
                "services are resolved before there are objects",
                "ResolveEarly",
                .uint32(1),
                whose: .between,
                because: noServices
            ),
            call(
                "services are never resolved",
                "ResolveNever",
                .uint32(1),
                asker: ["failed (timedOut resolving)", "answered"],
                whose: .between,
                because: noServices
            ),
            call(
                "a notification is lost",
                "LoseNotifications",
                .uint32(1),
                asker: ["failed (timedOut answering)", "answered"],
                whose: .between,
                because: noServices
            ),
            Fault(
                "the ball's service goes for a while, and nobody is told",
                asker: ["answered"],
                ball: ["answer"],
                virtualOnlyBecause: noServices,
                make: { try await $0.pull(.init("HideService", .ball, .string(service))) },
                undo: { try await $0.pull(.init("RestoreService", .ball, .string(service))) }
            ),
            Fault(
                "the ball's service goes for a while",
                asker: ["disconnected (deviceOffline)", "answered"],
                ball: ["answer"],
                virtualOnlyBecause: noServices,
                make: { try await $0.pull(.init("RemoveService", .ball, .string(service))) },
                undo: { try await $0.pull(.init("RestoreService", .ball, .string(service))) }
            ),
            Fault(
                "bluetoothd keeps services that the ball has no longer, over all connections",
                asker: ["answered"],
                ball: ["answer"],
                virtualOnlyBecause: noServices,
                make: { scene in
                    try await scene.pull(.init("KeepServices", .between))
                    try await scene.pull(.init("HideService", .ball, .string(service)))
                    try await scene.pull(.init("RestoreService", .ball, .string(service)))
                    try await scene.endLink()
                },
                undo: { _ in }
            ),
            call(
                "notifications come twice",
                "DoubleNotifications",
                .uint32(2),
                whose: .between,
                because: noServices
            ),
            call(
                "a notification comes late",
                "DelayNotifications",
                .uint32(500),
                .uint32(1),
                whose: .between,
                because: noServices
            ),
        ]
}

extension FaultScene {
    /// Ends the link; returns when the asker has noticed, so that its next question needs another one.
    fileprivate func endLink() async throws {
        let start = asker.told.count
        try await pull(.init("Disconnect", .between))
        let hasNoticed = await asker.told.wait(from: start, within: Self.patience) { lines in
            lines.contains { $0.hasPrefix("disconnected") }
        }
        try #require(hasNoticed)
    }
}
