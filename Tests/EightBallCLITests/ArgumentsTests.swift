import BLE
import EightBallCLI
import MagicEightBall
import Testing

@Suite
struct ArgumentsTests {
    @Test(
        "Durations are seconds",
        arguments: [("10", 10_000), ("2.5", 2500), ("10s", 10_000), ("0.0001", 1)]
    )
    func duration(argument: String, milliseconds: Int) throws {
        #expect(try Duration(argument: argument) == .milliseconds(milliseconds))
    }

    @Test("Other texts are no durations", arguments: ["", "s", "0", "-1", "nan", "inf", "86401"])
    func badDuration(argument: String) {
        #expect(throws: (any Error).self) { try Duration(argument: argument) }
    }

    @Test("A range has two ends")
    func range() throws {
        #expect(try ClosedRange<RSSI>(argument: "-80..-20") == RSSI(-80)...RSSI(-20))
        #expect(try ClosedRange<RSSI>(argument: "-127..20") == RSSI(-127)...RSSI(20))
        #expect(try ClosedRange<RSSI>(argument: "-50..-50") == RSSI(-50)...RSSI(-50))
    }

    @Test(
        "Other texts are no ranges",
        arguments: [
            "", "-80", "-20..-80", "-80...-20", "-80..", "..-20", "-128..0", "-80..21", "a..b",
            "99999999999999999999..0",
        ]
    )
    func badRange(argument: String) {
        #expect(throws: (any Error).self) { try ClosedRange<RSSI>(argument: argument) }
    }

    @Test("An address is checked")
    func address() throws {
        #expect(try BluetoothAddress(argument: "00:aa:01:00:00:42").description.hasSuffix(":42"))
        #expect(throws: (any Error).self) { try BluetoothAddress(argument: "hci0") }
    }

    @Test("A limit is a number of questions in seconds")
    func limit() throws {
        let limit = QuestionLimit(count: 10, per: .milliseconds(2500))
        #expect(try QuestionLimit(argument: "10/2.5") == limit)
    }

    @Test(
        "Other texts are no limits",
        arguments: ["", "10", "/60", "10/", "0/60", "-1/60", "10/0", "10/60/60", "1.5/60", "a/b"]
    )
    func badLimit(argument: String) {
        #expect(throws: (any Error).self) { try QuestionLimit(argument: argument) }
    }
}
