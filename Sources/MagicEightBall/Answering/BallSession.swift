internal import BLE

/// Where a ball is between ``EightBallPeripheral/start()`` and ``EightBallPeripheral/stop()``.
enum BallSession {
    case stopped
    /// Questions are accepted while the service is published. The number identifies this start.
    case running(Int)
    /// No question is accepted any more; what was accepted is finished by the task, which also stops.
    case closing(Task<Void, Never>)

    /// Which start this is; `nil` when the ball is stopped, or stops.
    var number: Int? {
        guard case .running(let number) = self else { return nil }
        return number
    }

    var isStopped: Bool { if case .stopped = self { true } else { false } }
}

/// The service of a ball, as the radio has it.
///
/// The number identifies a publication; late events of
/// another one are dropped.
enum BallPublication {
    case none
    /// Requests may come already, and so may the end.
    case publishing(Int, ended: RadioError?)
    case published(Int, any Publication)
    /// The radio is off, and still has the service.
    case suspended(Int, any Publication)

    var number: Int? {
        switch self {
        case .none: nil
        case .publishing(let number, _), .published(let number, _), .suspended(let number, _):
            number
        }
    }

    /// The service that the radio has; `nil` while it is being published.
    var current: (any Publication)? {
        switch self {
        case .none, .publishing: nil
        case .published(_, let publication), .suspended(_, let publication): publication
        }
    }

    var isPublished: Bool { if case .published = self { true } else { false } }
}
