internal import DBus

/// A central's read or write that an application has not replied to yet.
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

    /// Who has to reply.
    let application: RegisteredApplication.ID
}
