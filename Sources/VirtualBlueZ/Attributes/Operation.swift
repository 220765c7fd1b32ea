internal import BLEDBus

/// A central's request that has not been replied to yet.
struct Operation {
    let device: DeviceID

    /// The attribute's handle.
    let handle: UInt16

    let request: ATTCode.Request

    /// The central's call.
    let call: MethodCall

    /// The calls of the same kind that share its reply.
    var otherCalls: [MethodCall] = []

    /// Where in the value it begins.
    var offset = 0

    /// What of the value has been read, where it takes several responses.
    var parts: [UInt8] = []

    /// The object at the central.
    let path: ObjectPath

    /// The interface of that object.
    let interface: String

    /// Who has to reply; `nil` for the daemon itself.
    let application: RegisteredApplication.ID?

    /// Whether its turn on the link has come.
    var isSent = false

    /// Whether it has arrived at the server.
    var hasArrived = false

    /// What the server has responded; it may be on its way.
    var response: Result<[UInt8], ATTCode>?

    /// What is done then.
    let send: @Sendable (isolated VirtualDaemon, _ number: Int) -> Void

    /// What is known of a value, when what was read is put where it was read from.
    func whole(of read: [UInt8], after known: [UInt8]) -> [UInt8] {
        let before = known.prefix(offset)
        return before + [UInt8](repeating: 0, count: offset - before.count) + read
    }
}
