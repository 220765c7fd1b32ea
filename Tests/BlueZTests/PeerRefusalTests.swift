import BLE
import BLEDBus
import Testing

@testable import BlueZ

/// What bluetoothd tells when a peer of another stack refuses a write, code by code.
///
/// Seen alike of 5.66, 5.82 and 5.87. Tests/Interoperability has the same table, and asks a real
/// bluetoothd.
///
/// 0x05 and 0x0F are not in it: there bluetoothd pairs with the peer, and may never reply. So it is
/// with 0x12 from 5.87 on, when it sends the request again instead.
@Suite("A refusal by a peer of another stack")
struct PeerRefusalTests {
    private static let inWords: [UInt8: (name: ErrorName, text: String)] = [
        0x02: (BlueZError.notPermitted, "Read not permitted"),
        0x03: (BlueZError.notPermitted, "Write not permitted"),
        0x06: (BlueZError.notSupported, "Operation is not supported"),
        0x07: (BlueZError.invalidArguments, "Invalid offset"),
        0x08: (BlueZError.notAuthorized, "Operation Not Authorized"),
        0x0C: (BlueZError.notPermitted, "Not paired"),
        0x0D: (BlueZError.invalidArguments, "Invalid Length"),
    ]

    private static func told(_ code: UInt8) -> ErrorReply {
        if let (name, text) = inWords[code] { return ErrorReply(name, text) }
        let digits = (code < 0x10 ? "0" : "") + String(code, radix: 16)
        return ErrorReply(BlueZError.failed, "Operation failed with ATT error: 0x\(digits)")
    }

    @Test(arguments: (0x01...0xFF).filter { ![0x05, 0x0F].contains($0) } as [UInt8])
    func `comes out as the code that the peer sent`(code: UInt8) {
        // "Not paired" stands for any lack of security: it is read as the first of those.
        let expected: UInt8 = code == 0x0C ? 0x05 : code
        #expect(BlueZError.refusal(Self.told(code)) == ATTError(rawValue: expected))
    }
}
