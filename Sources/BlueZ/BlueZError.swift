internal import BLE
internal import BLEDBus

/// The names of org.bluez's errors, and what they mean to a radio.
///
/// Source: BlueZ, src/error.c; texts as bluetoothd 5.66 to 5.87 send them.
enum BlueZError {
    static let failed = ErrorName(rawValue: "org.bluez.Error.Failed")
    static let inProgress = ErrorName(rawValue: "org.bluez.Error.InProgress")
    static let blocked = ErrorName(rawValue: "org.bluez.Error.Blocked")
    static let notReady = ErrorName(rawValue: "org.bluez.Error.NotReady")
    static let notPermitted = ErrorName(rawValue: "org.bluez.Error.NotPermitted")
    static let notAuthorized = ErrorName(rawValue: "org.bluez.Error.NotAuthorized")
    static let notSupported = ErrorName(rawValue: "org.bluez.Error.NotSupported")
    static let doesNotExist = ErrorName(rawValue: "org.bluez.Error.DoesNotExist")
    static let notConnected = ErrorName(rawValue: "org.bluez.Error.NotConnected")
    static let invalidArguments = ErrorName(rawValue: "org.bluez.Error.InvalidArguments")
    static let invalidLength = ErrorName(rawValue: "org.bluez.Error.InvalidLength")
    static let invalidValueLength = ErrorName(rawValue: "org.bluez.Error.InvalidValueLength")
    static let invalidOffset = ErrorName(rawValue: "org.bluez.Error.InvalidOffset")
    static let improperlyConfigured = ErrorName(rawValue: "org.bluez.Error.ImproperlyConfigured")

    /// What was tried; the same error means other things for another attempt.
    enum Attempt {
        /// To use the adapter: to scan, to look at its objects.
        case use
        /// To connect to a device.
        case connect
        /// To register an application or an advertisement.
        case publish
        /// To use a characteristic of a device.
        case access
    }

    /// What a refused call means.
    static func code(of reply: ErrorReply, for attempt: Attempt) -> RadioError.Code {
        switch (reply.name, attempt) {
        case (.serviceUnknown, _), (.nameHasNoOwner, _), (.noReply, _): .noService
        case (.accessDenied, _): .notPermitted
        case (.unknownObject, _), (.unknownMethod, _), (.unknownInterface, _), (doesNotExist, _):
            absence(attempt)
        case (notReady, _), (blocked, _): .off
        case (notConnected, .access): .peerGone
        case (inProgress, _): .busy
        case (notAuthorized, .use), (notAuthorized, .publish): .notPermitted
        case (notPermitted, .publish): .limitReached
        case (notPermitted, .access): .busy
        case (invalidArguments, .publish), (invalidLength, .publish): .invalidAdvertisement
        case (failed, _): code(ofText: reply.text, for: attempt)
        case (_, .connect): .connectionFailed
        default: reply.name.rawValue.contains(".Spawn.") ? .noService : .failed
        }
    }

    private static func absence(_ attempt: Attempt) -> RadioError.Code {
        switch attempt {
        case .use, .publish: .absent
        case .connect: .unknownPeer
        case .access: .servicesInvalidated
        }
    }

    private static func code(ofText text: String, for attempt: Attempt) -> RadioError.Code {
        switch (text, attempt) {
        case ("Operation already in progress", _): .busy
        case ("Not connected", .access): .peerGone
        case ("le-connection-adapter-not-powered", .connect): .off
        case ("le-connection-concurrent-connection-limit", .connect): .limitReached
        case (_, .connect): .connectionFailed
        case ("Failed to parse advertisement.", .publish): .invalidAdvertisement
        default: .failed
        }
    }
}

extension BlueZError {
    /// The error that a caller gets; what is none of the bus's passes as it is.
    ///
    /// - Parameters:
    ///   - error: what a call threw.
    ///   - attempt: what was tried.
    ///   - text: what was tried, on what, for people.
    /// - Returns: a ``RadioError`` for what the bus or bluetoothd said.
    static func translate(
        _ error: any Error,
        for attempt: Attempt,
        _ text: @autoclosure () -> String
    ) -> any Error {
        switch error {
        case let reply as ErrorReply:
            let code = code(of: reply, for: attempt)
            return RadioError(
                code,
                "\(text()) failed: \(reply)\(remedy(code, reply, attempt))",
                underlying: reply
            )
        case let error as BusError:
            return RadioError(code(of: error), "\(text()) failed: \(error)", underlying: error)
        default:
            return error
        }
    }

    private static func code(of error: BusError) -> RadioError.Code {
        switch error.code {
        case .connectionRefused, .disconnected: .noService
        case .timedOut: .timedOut
        case .overflow: .busy
        case .nameTaken, .invalidMessage, .unexpectedBody, .outOfMemory: .failed
        }
    }

    private static func remedy(
        _ code: RadioError.Code,
        _ reply: ErrorReply,
        _ attempt: Attempt
    ) -> String {
        switch code {
        case .noService: "; \(noDaemon)"
        case .notPermitted: rightsRemedy
        case .off: reply.name == blocked ? blockedRemedy : ""
        case .busy where attempt == .use: stuckRemedy
        case .connectionFailed where reply.text.hasPrefix("br-connection-"): bearerRemedy
        default: ""
        }
    }

    /// Nobody has the name org.bluez.
    static let noDaemon = "bluetoothd does not run; 'systemctl start bluetooth' starts it"

    private static let rightsRemedy =
        "; the bus's policy (/etc/dbus-1/system.d/bluetooth.conf, or bluetooth.conf in"
        + " /usr/share/dbus-1/system.d) does not let this program use Bluetooth; where it allows the"
        + " group bluetooth, 'sudo usermod -aG bluetooth USER' and a new login help"

    /// bluetoothd takes Classic for a peer that does not say that it has LE alone, such as another
    /// machine with BlueZ.
    private static let bearerRemedy =
        "; bluetoothd tried Bluetooth Classic: 'bluetoothctl remove' of the peer helps, and"
        + " 'ControllerMode = le' in /etc/bluetooth/main.conf"

    /// rfkill is in the way.
    static let blockedRemedy =
        "; rfkill blocks it: 'rfkill unblock bluetooth' and 'bluetoothctl power on' help"

    /// No power, for whatever reason; before 5.70 bluetoothd does not say which.
    static let offRemedy =
        "; 'bluetoothctl power on' gives it power, if need be after 'rfkill unblock bluetooth'"

    /// A controller that does not carry out commands.
    static let stuckRemedy =
        "; if it stays so, 'bluetoothctl power off' and 'bluetoothctl power on' help, or to unplug the"
        + " adapter and plug it in again"
}
