internal import BLEDBus

/// Something that can be done to the world from outside, by its name and with arguments.
struct Lever: Sendable {
    /// What it does to the daemon, when the arguments are sound.
    typealias Action = @Sendable (isolated VirtualDaemon, LeverArguments) throws(ErrorReply) -> Void

    /// What it does to the world.
    typealias WorldAction = @Sendable (isolated VirtualWorld, LeverArguments) async throws -> Void

    private enum Effect {
        case daemon(Action)
        case world(WorldAction)
    }

    /// The method of `VirtualBlueZ.World1`.
    let name: String

    /// The method's arguments.
    let arguments: [(name: String, type: Signature)]

    /// What happens, in a few words.
    let text: String

    private let effect: Effect

    init(
        _ name: String,
        _ arguments: [(String, Signature)],
        _ text: String,
        _ action: @escaping Action
    ) {
        self.name = name
        self.arguments = arguments.map { (name: $0.0, type: $0.1) }
        self.text = text
        effect = .daemon(action)
    }

    init(
        world name: String,
        _ arguments: [(String, Signature)],
        _ text: String,
        _ action: @escaping WorldAction
    ) {
        self.name = name
        self.arguments = arguments.map { (name: $0.0, type: $0.1) }
        self.text = text
        effect = .world(action)
    }

    /// All of them, by subject.
    static let all = daemon + adapters + links + gatt + calls + foreign

    /// Finds one by its name.
    static func named(_ name: String) -> Lever? { all.first { $0.name == name } }

    /// How it is called: `Plug(u adapter)`.
    var usage: String {
        let words = arguments.map { "\($0.type) \($0.name)" }
        return "\(name)(\(words.joined(separator: ", ")))"
    }

    /// Does it; the types of the arguments have been checked.
    ///
    /// - Throws: `VirtualBlueZ.Error.InvalidArguments` for what can't be,
    ///   `VirtualBlueZ.Error.Failed` when there is nothing to be done.
    func pull(in world: isolated VirtualWorld, _ values: [Value]) async throws {
        let arguments = LeverArguments(values)
        switch effect {
        case .world(let action): try await action(world, arguments)
        case .daemon(let action):
            let daemon = world.daemon
            try await pull(on: daemon, action, arguments)
        }
        // By the bus alone: a fault may be set for whatever the daemon can be called.
        await world.daemon.reachBus()
    }

    private func pull(
        on daemon: isolated VirtualDaemon,
        _ action: Action,
        _ arguments: LeverArguments
    ) throws(ErrorReply) {
        guard daemon.isRunning else { throw .notRunning }
        try action(daemon, arguments)
    }
}

extension ErrorReply {
    static let notRunning = leverFailed("bluetoothd does not run")

    static func invalidLever(_ text: String) -> ErrorReply {
        ErrorReply(ErrorName(rawValue: "VirtualBlueZ.Error.InvalidArguments"), text)
    }

    static func leverFailed(_ text: String) -> ErrorReply {
        ErrorReply(ErrorName(rawValue: "VirtualBlueZ.Error.Failed"), text)
    }
}
