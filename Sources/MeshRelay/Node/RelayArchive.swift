/// Where a node's messages are kept.
///
/// A node calls one function after the other, in the order in which packets came.
public protocol RelayArchive: Sendable {
    /// A contact's message has come.
    ///
    /// - Parameter message: the message.
    /// - Returns: whether it was not kept before.
    /// - Throws: why it is not kept; it is not acknowledged then, and taken when it is sent again.
    func keep(_ message: RelayMessage) async throws -> Bool

    /// A message of this user has come to a contact.
    ///
    /// - Parameters:
    ///   - id: the message's number.
    ///   - contact: whose acknowledgement it is.
    /// - Throws: why that is not kept.
    func keepDelivery(of id: Int32, to contact: RelayAddress) async throws

    /// Messages of this user have been read.
    ///
    /// - Parameters:
    ///   - ids: the messages' numbers.
    ///   - contact: who has read them.
    /// - Throws: why that is not kept.
    func keepReading(of ids: [Int32], by contact: RelayAddress) async throws
}
