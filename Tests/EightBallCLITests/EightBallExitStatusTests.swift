import EightBallCLI
import MagicEightBall
import RadioCLI
import Testing

@Suite("The exit status of a game")
struct EightBallExitStatusTests {
    @Test(
        arguments: [
            (.noBallFound, 68), (.radioOff, 69), (.radioAbsent, 69), (.noService, 69),
            (.notPermitted, 77), (.radioBusy, 75), (.deviceOffline, 75),
            (.timedOut(.answering), 75), (.protocolViolation, 76), (.invalidName, 64),
            (.rejected(.questionPlease), 65), (.rejected(.tooLong), 65),
            (.rejected(.deviceBusy), 75), (.rejected(.unknown(0xFC)), 76), (.stopped, 69),
            (.cancelled, 70), (.failed, 70),
        ] as [(EightBallError.Code, Int32)]
    )
    func `tells each failure of the game`(code: EightBallError.Code, status: Int32) {
        #expect(ExitStatus(EightBallError(code, "it failed")).rawValue == status)
    }

    @Test(arguments: [
        EightBallError(.rejected(.questionPlease), "a question ends in '?'"),
        EightBallError(.radioOff, "hci0 has no power; 'bluetoothctl power on'"),
    ])
    func `adds no advice where the error has it`(error: EightBallError) {
        #expect(error.remedy == nil)
    }
}
