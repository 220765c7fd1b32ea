internal import DBus

/// A central's request that has not been replied to yet.
struct Operation {
    let device: DeviceID

    /// The attribute's handle.
    let handle: UInt16

    let request: ATTCode.Request

    /// The central's call.
    let call: MethodCall

    /// The object at the central.
    let path: ObjectPath

    /// The interface of that object.
    let interface: String

    /// Who has to reply; `nil` for the daemon itself.
    let application: RegisteredApplication.ID?

    /// Whether its turn on the link has come.
    var isSent = false

    /// What is done then.
    let send: @Sendable (isolated VirtualDaemon, _ number: Int) -> Void
}
