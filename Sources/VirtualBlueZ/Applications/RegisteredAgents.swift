internal import BLEDBus

/// The agents that programs have registered; none is ever asked, as nothing is paired here.
struct RegisteredAgents {
    private static let capabilities = [
        "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
    ]

    private var ids: Set<RegisteredApplication.ID> = []

    var isEmpty: Bool { ids.isEmpty }

    /// - Returns: what the call is refused with, if it is.
    mutating func register(_ call: MethodCall) -> ErrorReply? {
        guard Self.capabilities.contains(call.arguments.last?.string ?? "") else {
            return .invalidArguments()
        }
        return ids.insert(RegisteredApplication.ID(call)).inserted ? nil : .alreadyExists
    }

    /// - Returns: what the call is refused with, if it is.
    mutating func unregister(_ call: MethodCall) -> ErrorReply? {
        ids.remove(RegisteredApplication.ID(call)) == nil ? .doesNotExist : nil
    }

    /// - Returns: what a call that needs a registered agent is refused with, if it is.
    func check(_ call: MethodCall) -> ErrorReply? {
        ids.contains(RegisteredApplication.ID(call)) ? nil : .doesNotExist
    }

    mutating func removeAll(of client: String) {
        ids = ids.filter { $0.owner != client }
    }
}
