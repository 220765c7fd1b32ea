import BLE
import BLEDBus
import Testing

@testable import BlueZ

@Suite("A device that has Bluetooth Classic too")
struct DualModeTests {
    @Test func `is to be connected to by LE, where bluetoothd can be told`() throws {
        func device(_ bearer: String?) -> Device1 {
            let values = bearer.map { ["PreferredBearer": Value.string($0)] } ?? [:]
            return Device1(path: ScriptedDaemon.device, properties: PropertyMap(values))
        }
        #expect(device(nil).preferLE == nil)
        #expect(device("le").preferLE == nil)
        let body = try device("last-used").preferLE?.body()
        #expect(
            body == [
                .string("org.bluez.Device1"), .string("PreferredBearer"), .variant(.string("le")),
            ]
        )
    }

    @Test func `that was tried by Classic says what helps`() {
        let reply = ErrorReply(BlueZError.failed, "br-connection-profile-unavailable")
        let error = BlueZError.translate(reply, for: .connect, "connecting")
        #expect(isRadioError(.connectionFailed)(error))
        #expect("\(error)".contains("ControllerMode = le"))
    }
}

@Suite("An error of bluetoothd")
struct BlueZErrorTests {
    private static let att = "Operation failed with ATT error: 0x"

    private static func reply(_ name: String, _ text: String = "") -> ErrorReply {
        ErrorReply(ErrorName(rawValue: "org.bluez.Error.\(name)"), text)
    }

    @Test(
        arguments: [
            (reply("Failed", att + "80"), 0x80), (reply("Failed", att + "9f"), 0x9F),
            (reply("Failed", att + "0e"), 0x0E), (reply("Failed", att + "fe"), 0xFE),
            (reply("NotPermitted", "Read not permitted"), 0x02),
            (reply("NotPermitted", "Write not permitted"), 0x03),
            (reply("NotPermitted", "Not paired"), 0x05),
            (reply("NotAuthorized", "Operation Not Authorized"), 0x08),
            (reply("NotSupported", "Operation is not supported"), 0x06),
            (reply("InvalidArguments", "Invalid Length"), 0x0D),
            (reply("InvalidArguments", "Invalid offset"), 0x07),
            (reply("InvalidValueLength"), 0x0D), (reply("InvalidOffset"), 0x07),
        ] as [(ErrorReply, UInt8)]
    )
    func `is a peer's refusal where it tells one`(reply: ErrorReply, code: UInt8) {
        #expect(BlueZError.refusal(reply) == ATTError(rawValue: code))
    }

    @Test(arguments: [
        reply("Failed", "Not connected"), reply("Failed", att), reply("Failed", att + "1ff"),
        reply("Failed", att + "0x80"), reply("NotPermitted", "Write acquired"),
        reply("InvalidArguments", "Invalid arguments in method call"), reply("InProgress"),
        ErrorReply(.noReply),
    ])
    func `is no refusal where it tells none`(reply: ErrorReply) {
        #expect(BlueZError.refusal(reply) == nil)
    }

    @Test(
        arguments: [
            (0x02, reply("NotPermitted")), (0x03, reply("NotPermitted")),
            (0x06, reply("NotSupported")), (0x07, reply("InvalidOffset")),
            (0x08, reply("NotAuthorized")), (0x0D, reply("InvalidValueLength")),
            (0x0E, reply("Failed", "0x0e")), (0x01, reply("Failed", "0x0e")),
            (0x7F, reply("Failed", "0x0e")), (0x80, reply("Failed", "0x80")),
            (0x90, reply("Failed", "0x90")), (0x9F, reply("Failed", "0x9f")),
            (0xA0, reply("Failed", "0x0e")), (0xFD, reply("ImproperlyConfigured")),
            (0xFE, reply("InProgress")),
        ] as [(UInt8, ErrorReply)]
    )
    func `refuses with the byte, or the nearest that can be told`(code: UInt8, reply: ErrorReply) {
        #expect(BlueZError.reply(for: ATTError(rawValue: code)) == reply)
    }

    @Test(
        arguments: [
            (reply("NotReady", "Resource Not Ready"), .use, .off),
            (reply("InProgress"), .use, .busy),
            (reply("NotAuthorized"), .use, .notPermitted),
            (reply("Failed", "No discovery started"), .use, .failed),
            (ErrorReply(.accessDenied), .use, .notPermitted),
            (ErrorReply(.serviceUnknown), .use, .noService),
            (ErrorReply(.noReply), .access, .noService),
            (
                ErrorReply(ErrorName(rawValue: "org.freedesktop.DBus.Error.Spawn.Failed")), .use,
                .noService
            ),
            (ErrorReply(.unknownObject), .use, .absent),
            (ErrorReply(.unknownObject), .connect, .unknownPeer),
            (ErrorReply(.unknownObject), .access, .servicesInvalidated),
            (reply("Failed", "le-connection-abort-by-local"), .connect, .connectionFailed),
            (reply("Failed", "Input/output error"), .connect, .connectionFailed),
            (reply("Failed", "Operation already in progress"), .connect, .busy),
            (reply("InProgress", "In Progress"), .connect, .busy),
            (reply("AlreadyConnected"), .connect, .connectionFailed),
            (reply("Failed", "Not connected"), .access, .peerGone),
            (reply("InProgress", "In Progress"), .access, .busy),
            (reply("NotPermitted", "Notify acquired"), .access, .busy),
            (reply("NotPermitted", "Maximum advertisements reached"), .publish, .limitReached),
            (reply("Failed", "Failed to parse advertisement."), .publish, .invalidAdvertisement),
            (reply("Failed", "Failed to register advertisement"), .publish, .failed),
            (reply("AlreadyExists"), .publish, .failed),
        ] as [(ErrorReply, BlueZError.Attempt, RadioError.Code)]
    )
    func `means to the radio what was tried`(
        reply: ErrorReply,
        attempt: BlueZError.Attempt,
        code: RadioError.Code
    ) {
        #expect(BlueZError.code(of: reply, for: attempt) == code)
    }

    @Test func `says what was tried, what came back and what to do`() throws {
        let error = try #require(
            BlueZError.translate(ErrorReply(.accessDenied, "no"), for: .use, "scanning with hci0")
                as? RadioError
        )
        #expect(error.message.hasPrefix("scanning with hci0 failed: org.freedesktop.DBus.Error."))
        #expect(error.message.contains("group bluetooth"))
        #expect(error.underlying as? ErrorReply == ErrorReply(.accessDenied, "no"))
    }

    @Test func `leaves cancellation as it is`() {
        let error = BlueZError.translate(CancellationError(), for: .use, "")
        #expect(error is CancellationError)
    }
}
