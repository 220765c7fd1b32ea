import BLE
import Testing

@Suite
struct ErrorTests {
    @Test(
        "A refusal is described by its code in two digits",
        arguments: [(0x00, "ATT 0x00"), (0x0E, "ATT 0x0E"), (0x90, "ATT 0x90"), (0xFF, "ATT 0xFF")]
            as [(UInt8, String)]
    )
    func description(code: UInt8, text: String) {
        #expect(ATTError(rawValue: code).description == text)
    }

    @Test(
        "0x80 to 0x9F belong to the application",
        arguments: [(0x7F, false), (0x80, true), (0x9F, true), (0xA0, false), (0x0E, false)]
            as [(UInt8, Bool)]
    )
    func applicationError(code: UInt8, isApplicationError: Bool) {
        #expect(ATTError(rawValue: code).isApplicationError == isApplicationError)
    }

    @Test("A radio's error is described by its message, and its code by its name")
    func radioError() {
        let error = RadioError(.peerGone, "reading failed: the link ended")
        #expect("\(error)" == "reading failed: the link ended")
        #expect("\(error.code)" == "peerGone")
        #expect(error.code != .off)
    }

    @Test("Strengths are ordered from faint to loud")
    func rssi() {
        #expect(RSSI(-90) < RSSI(-20))
        #expect(RSSI(-50).description == "-50 dBm")
    }

    @Test func `an ATT error has the name that the specification gives it`() {
        #expect(ATTError.insufficientEncryption.name == "insufficient encryption")
        #expect(ATTError(rawValue: 0xFF).name == "out of range")
        #expect(ATTError(rawValue: 0x80).name == nil)
        #expect((UInt8.min...UInt8.max).count { ATTError(rawValue: $0).name != nil } == 23)
    }
}
