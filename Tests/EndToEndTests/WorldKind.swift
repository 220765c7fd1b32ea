import Foundation
import Testing
import VirtualBlueZ

/// The worlds that the checks can run in; the environment says which.
enum WorldKind: String, Sendable {
    /// An org.bluez without a radio, for each check its own, in this process. The default.
    case virtual
    /// The system's bus with a real bluetoothd, one for all: the checks have to run one by one.
    case real

    /// That of this run, as `EIGHTBALL_WORLD` has it.
    static let current: WorldKind = {
        let name = ProcessInfo.processInfo.environment["EIGHTBALL_WORLD"] ?? "virtual"
        guard let kind = WorldKind(rawValue: name) else {
            preconditionFailure("EIGHTBALL_WORLD is 'virtual' or 'real', not '\(name)'")
        }
        return kind
    }()

    /// What rows say of this run's world: `virtual`, or the version that `EIGHTBALL_BLUEZ` names.
    static let name =
        ProcessInfo.processInfo.environment["EIGHTBALL_BLUEZ"] ?? current.rawValue

    /// By how much to multiply a time limit; real ones run in an emulated machine.
    var slowness: Int {
        switch self {
        case .virtual: 1
        case .real: 4
        }
    }

    /// Makes the world of one check, as if nothing had ever happened in it.
    ///
    /// - Parameters:
    ///   - timing: how long things take, where that can be chosen: in the virtual world.
    ///   - adapters: how many are needed.
    ///   - version: which release it is, where that can be chosen.
    /// - Returns: a world, to be ended.
    /// - Throws: what kept it from coming up.
    func begin(
        _ timing: Timing,
        adapters: Int,
        _ version: BlueZVersion
    ) async throws -> any World {
        switch self {
        case .virtual: try await VirtualWorld(timing, adapters: adapters, version)
        case .real: try await RealWorld(adapters: adapters)
        }
    }
}

extension TimeLimitTrait.Duration {
    /// How long one check may take: a test that hangs is to be named; one on a machine that is slow, or busy with others, is not.
    static var oneCheck: Self { .minutes(max(WorldKind.current.slowness, 10)) }
}
