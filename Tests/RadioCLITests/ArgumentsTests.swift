import BLE
import RadioCLI
import Testing

@Suite("An argument")
struct ArgumentsTests {
    @Test(arguments: [
        ("10", 10_000), ("2.5", 2500), ("10s", 10_000), ("250ms", 250), ("0.0001", 1), ("0.1ms", 1),
        ("86400", 86_400_000),
    ])
    func `is a time, in seconds when it has no unit`(argument: String, milliseconds: Int) throws {
        #expect(try Duration(argument: argument) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "s", "ms", "0", "-1", "nan", "inf", "5m", "soon"])
    func `that is not a time is refused with an example`(argument: String) {
        #expect(
            refusal { try Duration(argument: argument) }
                == "'\(argument)' is not a time; write 250ms, 5s"
        )
    }

    @Test(arguments: ["86401", "86400001ms", "1e300"])
    func `of more than a day is refused as that`(argument: String) {
        #expect(
            refusal { try Duration(argument: argument) }
                == "'\(argument)' is more than a day; write 86400s or less"
        )
    }

    @Test(arguments: [("-80..-20", -80, -20), ("-127..20", -127, 20), ("-50..-50", -50, -50)])
    func `is a range with two ends`(argument: String, low: Int, high: Int) throws {
        #expect(try ClosedRange<RSSI>(argument: argument) == RSSI(low)...RSSI(high))
    }

    @Test(arguments: [
        "", "-90", "-20..-80", "-80...-20", "-80..", "..-20", "-128..0", "-80..21", "a..b",
        "99999999999999999999..0",
    ])
    func `that is not a range is refused with an example`(argument: String) {
        #expect(
            refusal { try ClosedRange<RSSI>(argument: argument) }
                == "'\(argument)' is not a range; write -90..-40"
        )
    }

    @Test func `is an address, or refused with an example`() throws {
        #expect(try BluetoothAddress(argument: "00:aa:01:00:00:42").description.hasSuffix(":42"))
        #expect(
            refusal { try BluetoothAddress(argument: "hci0") }
                == "'hci0' is not an address; write 00:AA:01:00:00:42"
        )
    }

    /// What a person reads of a refused argument; `nil` when it was taken.
    private func refusal(_ read: () throws -> some Any) -> String? {
        do {
            _ = try read()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
