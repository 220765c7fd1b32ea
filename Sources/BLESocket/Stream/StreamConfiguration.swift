/// The limits of a stream.
struct StreamConfiguration: Sendable {
    /// How many frames may come before they are confirmed.
    static let acknowledgementFrameCount = 16
    /// How long what has come may wait for its confirmation.
    static let acknowledgementDelay = Duration.milliseconds(20)

    /// How many bytes the other end may send that nobody has read, at first.
    var windowByteCount = 16 * 1_024
    /// The same when they are read as fast as they come.
    var maximumWindowByteCount = 256 * 1_024
    /// How often a central says hello until it has a reply.
    var helloInterval = Duration.seconds(1)
    /// How long the other end may take to say hello over a link.
    var helloLimit = Duration.seconds(10)
    /// How long nothing may be heard before the other end is asked whether it is there.
    var keepAliveInterval = Duration.seconds(10)
    /// The same while it takes no more bytes.
    var probeInterval = Duration.seconds(1)
    /// How long nothing may be heard before the link is given up.
    var silenceLimit = Duration.seconds(30)
    /// How long there may be no link before the session is given up.
    var resumptionLimit = Duration.seconds(60)
    /// The same for a session that has not begun; `nil` for no other limit.
    var openLimit: Duration?
    /// How long an end that has all waits for the other one, which may not know it, to come back over another link.
    var returnLimit = Duration.seconds(15)
    /// Whether the other end has to encrypt, as this one does.
    var isEncrypted = false
    /// Whether this end, a peripheral, shares its characteristic among several sessions.
    var isShared = false
    /// How long the other end of an encrypted stream may take to show that it has the keys.
    var proofLimit = Duration.seconds(10)
    /// How long an end that has all replies to the other one yet.
    var lingering = Duration.seconds(3)
}
