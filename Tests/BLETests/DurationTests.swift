import BLE
import Testing

@Suite struct DurationTests {
    @Test(
        "A duration is told in the largest unit that it fills",
        arguments: [
            (Duration.seconds(10), "10 s"), (.milliseconds(250), "250 ms"),
            (.milliseconds(1500), "1.5 s"), (.milliseconds(2050), "2.05 s"), (.zero, "0 s"),
            (.milliseconds(65_001), "65.001 s"), (.microseconds(10), "0 s"),
        ]
    )
    func units(duration: Duration, text: String) {
        #expect(duration.inUnits == text)
    }
}
