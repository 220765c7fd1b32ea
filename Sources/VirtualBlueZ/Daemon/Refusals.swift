internal import BLEDBus

/// What BlueZ refuses calls with.
///
/// Source: BlueZ, src/error.c.
extension ErrorReply {
    static func failed(_ text: String) -> ErrorReply { bluez("Failed", text) }

    static func notPermitted(_ text: String) -> ErrorReply { bluez("NotPermitted", text) }

    static func invalidArguments(
        _ text: String = "Invalid arguments in method call"
    ) -> ErrorReply {
        bluez("InvalidArguments", text)
    }

    static let notConnected = failed("Not connected")
    static let notConnectedAnyMore = bluez("NotConnected", "Not Connected")
    static let operationInProgress = failed("Operation already in progress")
    static let writeAcquired = notPermitted("Write acquired")
    static let notifyAcquired = notPermitted("Notify acquired")
    /// Linux 6.1 says no more of rfkill than that.
    static let blocked = failed("Failed")
    static let notReady = bluez("NotReady", "Resource Not Ready")
    static let inProgress = bluez("InProgress", "In Progress")
    static let alreadyInProgress = bluez("InProgress", "Operation already in progress")
    static let alreadyExists = bluez("AlreadyExists", "Already Exists")
    static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
    static let notSupported = bluez("NotSupported", "Operation is not supported")
    static let notAuthorized = bluez("NotAuthorized", "Operation Not Authorized")
    static let authenticationFailed = bluez("AuthenticationFailed", "Authentication Failed")

    private static func bluez(_ name: String, _ text: String) -> ErrorReply {
        ErrorReply(ErrorName(rawValue: "org.bluez.Error." + name), text)
    }
}
