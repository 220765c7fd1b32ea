import BLEDBus
import Testing
import VirtualBlueZ

extension Fault {
    private static let noAir = "emulated controllers always hear each other, and lose nothing"
    private static let noOther = "emulated controllers come and go together"

    /// A fault of the virtual world, made and undone by its levers.
    private static func air(
        _ description: String,
        waiting: Waiting = .none,
        asker: [String]?,
        ball: [String]?,
        because reason: String = noAir,
        timing: Timing = .quick,
        make: FaultScene.Pull,
        undo: FaultScene.Pull...
    ) -> Fault {
        Fault(
            description,
            waiting: waiting,
            asker: asker,
            ball: ball,
            virtualOnlyBecause: reason,
            timing: timing,
            make: { try await $0.pull(make) },
            undo: { scene in for lever in undo { try await scene.pull(lever) } }
        )
    }

    private static func airTwice(
        _ description: String,
        waiting: Waiting,
        asker: [String]?,
        ball: [String]?,
        because reason: String = noAir,
        make: FaultScene.Pull,
        undo: FaultScene.Pull...
    ) -> [Fault] {
        twice(
            description,
            waiting: waiting,
            asker: asker,
            ball: ball,
            virtualOnlyBecause: reason,
            make: { try await $0.pull(make) },
            undo: { scene in for lever in undo { try await scene.pull(lever) } }
        )
    }

    /// What happens in the air, and to one adapter alone.
    static let air =
        airTwice(
            "ball and asker go out of range",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "answered"],
            ball: ["disconnected", "connected", "answer"],
            make: .init("SetProximity", .between, .string("outOfRange")),
            undo: .init("SetProximity", .between, .string("near"))
        )
        + airTwice(
            "the link goes dead, and both notice at the supervision time-out",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "connected", "answered"],
            ball: ["disconnected", "connected", "answer"],
            make: .init("LoseLink", .between)
        )
        + airTwice(
            "the asker's adapter alone is pulled out",
            waiting: .failed(["radioAbsent", "deviceOffline"]),
            asker: ["radio absent", "radio on", "sighting", "answered"],
            ball: ["disconnected", "connected", "answer"],
            because: noOther,
            make: .init("Unplug", .asker),
            undo: .init("Plug", .asker)
        )
        + airTwice(
            "the ball's adapter alone is pulled out",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "answered"],
            ball: ["radio absent", "radio on", "advertising", "answer"],
            because: noOther,
            make: .init("Unplug", .ball),
            undo: .init("Plug", .ball)
        )
        + airTwice(
            "the ball's adapter is reset",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "answered"],
            ball: ["answer"],
            because: noOther,
            make: .init("Reset", .ball)
        )
        + [
            air(
                "the ball's adapter is pulled out, and comes back under another name",
                asker: ["disconnected (deviceOffline)", "answered"],
                ball: ["radio absent", "radio on", "advertising", "answer"],
                because: "btvirt gives its controllers always the same names",
                make: .init("Unplug", .ball),
                undo: .init("PlugAs", .ball, .uint32(5))
            ),
            air(
                "the asker's adapter is pulled out, and comes back under another name",
                asker: ["radio absent", "radio on", "sighting", "answered"],
                ball: ["disconnected", "connected", "answer"],
                because: "btvirt gives its controllers always the same names",
                make: .init("Unplug", .asker),
                undo: .init("PlugAs", .asker, .uint32(5))
            ),
            air(
                "a third of all packets is lost",
                waiting: .answered,
                asker: ["answered"],
                ball: ["answer"],
                make: .init("SetLinkQuality", .between, .double(0.33), .uint32(2)),
                undo: .init("SetLinkQuality", .between, .double(0), .uint32(0))
            ),
            air(
                "the ball's host replies to nothing any more",
                asker: ["answered"],
                ball: ["answer"],
                because: "a host can't be stopped alone; see the program that is stopped",
                make: .init("Silence", .ball),
                undo: .init("Speak", .ball)
            ),
            air(
                "the ball is at the edge, and is not heard any more",
                asker: ["answered"],
                ball: ["answer"],
                make: .init("SetProximity", .between, .string("far")),
                undo: .init("SetProximity", .between, .string("near"))
            ),
        ]
}

extension FaultScene {
    /// A lever of the virtual world, with its arguments.
    struct Pull: Sendable {
        enum Whose: Sendable {
            case asker, ball, between, nobody
        }

        let name: String
        let arguments: [Value]

        init(_ name: String, _ whose: Whose, _ arguments: Value...) {
            self.init(name, whose, arguments)
        }

        init(_ name: String, _ whose: Whose, _ arguments: [Value]) {
            self.name = name
            let adapters: [Value] =
                switch whose {
                case .asker: [.uint32(0)]
                case .ball: [.uint32(1)]
                case .between: [.uint32(0), .uint32(1)]
                case .nobody: []
                }
            self.arguments = adapters + arguments
        }
    }

    /// Pulls it.
    func pull(_ lever: Pull) async throws {
        try await #require(world as? VirtualWorld).pull(lever.name, lever.arguments)
    }
}
