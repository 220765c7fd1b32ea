import BLE
import EightBallCLI
import MagicEightBall
import Testing

@Suite
struct ExitStatusTests {
    @Test(
        "Each failure of the game has its status",
        arguments: [
            (.noBallFound, 68), (.radioOff, 69), (.radioAbsent, 69), (.noService, 69),
            (.notPermitted, 77), (.radioBusy, 75), (.deviceOffline, 75),
            (.timedOut(.answering), 75), (.protocolViolation, 76), (.invalidName, 64),
            (.rejected(.questionPlease), 65), (.rejected(.tooLong), 65),
            (.rejected(.deviceBusy), 75), (.rejected(.unknown(0xFC)), 76), (.stopped, 69),
            (.cancelled, 70), (.failed, 70),
        ] as [(EightBallError.Code, Int32)]
    )
    func game(code: EightBallError.Code, status: Int32) {
        #expect(ExitStatus(EightBallError(code, "it failed")).rawValue == status)
    }

    @Test(
        "A radio that cannot be opened has its status",
        arguments: [
            (.off, 69), (.absent, 69), (.noService, 69), (.notPermitted, 77), (.busy, 75),
            (.failed, 70),
        ] as [(RadioError.Code, Int32)]
    )
    func radio(code: RadioError.Code, status: Int32) {
        #expect(ExitStatus(RadioError(code, "it failed")).rawValue == status)
    }
}
