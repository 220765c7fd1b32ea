import VirtualBlueZ

/// Something that goes wrong around an asker on hci0 and a ball on hci1: how it comes, how it goes,
/// and what of it has to be told.
struct Fault: Sendable, CustomStringConvertible {
    /// What becomes of a question that waits for its answer when the fault comes.
    enum Waiting: Sendable {
        /// None is asked before: asker and ball have a link, and are idle.
        case none
        /// It is answered, after the fault has gone.
        case answered
        /// It ends with one of these, while the fault is there.
        case failed([String])
    }

    typealias Act = @Sendable (FaultScene) async throws -> Void

    let description: String
    let waiting: Waiting
    /// What the asker's observers have to be told, in this order; `nil` when they may notice nothing.
    let asker: [String]?
    /// As much of the ball's observers.
    let ball: [String]?
    /// Whether the ball is a process of its own.
    let hasBallProcess: Bool
    /// Whether asker and ball go on by themselves, and so have to.
    let recovers: Bool
    /// Why the real world can't show it.
    let virtualOnlyBecause: String?
    /// How long things take in a virtual world.
    let timing: Timing
    let make: Act
    let undo: Act

    init(
        _ description: String,
        waiting: Waiting = .none,
        asker: [String]?,
        ball: [String]?,
        hasBallProcess: Bool = false,
        recovers: Bool = true,
        virtualOnlyBecause reason: String? = nil,
        timing: Timing = .quick,
        make: @escaping Act,
        undo: @escaping Act = { _ in }
    ) {
        self.description = description
        self.waiting = waiting
        self.asker = asker
        self.ball = ball
        self.hasBallProcess = hasBallProcess
        self.recovers = recovers
        virtualOnlyBecause = reason
        self.timing = timing
        self.make = make
        self.undo = undo
    }

    /// The same fault, once with an idle link and once with a question that waits for its answer.
    static func twice(
        _ description: String,
        waiting: Waiting,
        asker: [String]?,
        ball: [String]?,
        hasBallProcess: Bool = false,
        virtualOnlyBecause reason: String? = nil,
        make: @escaping Act,
        undo: @escaping Act = { _ in }
    ) -> [Fault] {
        [Waiting.none, waiting].map { waiting in
            let moment = if case .none = waiting { "" } else { ", with a question unanswered" }
            return Fault(
                description + moment,
                waiting: waiting,
                asker: asker,
                ball: ball,
                hasBallProcess: hasBallProcess,
                virtualOnlyBecause: reason,
                make: make,
                undo: undo
            )
        }
    }

    /// Those that this run is to show: all, those of a name, or one of each kind.
    static let wanted = known.filter { fault in
        let part = FaultTests.part
        return part.isEmpty
            ? !FaultTests.isQuick || fault.isQuick : fault.description.contains(part)
    }

    /// Its place among all.
    var number: Int { Self.known.firstIndex { $0.description == description } ?? 0 }

    private static let known = daemon + adapter + link + program + stranger + air + calls + bus
}

extension Fault {
    private static let quick: Set = [
        "bluetoothd is killed, with a question unanswered",
        "bluetoothd is stopped while a question waits, and goes on",
        "the asker's adapter is turned off, with a question unanswered",
        "the ball's adapter is turned off, with a question unanswered",
        "all adapters are pulled out, with a question unanswered",
        "another program ends the link at the asker's side, with a question unanswered",
        "another program removes the ball's device, with a question unanswered",
        "the ball's program is killed, with a question unanswered",
        "another program reads reply and answer, as if they were notified",
    ]

    private var isQuick: Bool { Self.quick.contains(description) }
}

extension Timing {
    /// Links that end as soon as anything else.
    static let quick = Timing(disconnecting: .milliseconds(30))
}
