import BLE
import Glibc
import RadioCLI
import Testing

@Suite("An exit status")
struct ExitStatusTests {
    @Test(
        arguments: [
            (.off, 69), (.absent, 69), (.noService, 69), (.notPermitted, 77), (.busy, 75),
            (.failed, 70),
        ] as [(RadioError.Code, Int32)]
    )
    func `tells why a radio cannot be opened`(code: RadioError.Code, status: Int32) {
        #expect(ExitStatus(RadioError(code, "it failed")).rawValue == status)
    }

    @Test func `of what no error says is our own fault`() {
        #expect(ExitStatus(CancellationError()) == .software)
    }

    @Test(
        arguments: [
            (EMFILE, 75), (ENFILE, 75), (ENOMEM, 75), (EACCES, 77), (EIO, 70),
        ] as [(Int32, Int32)]
    )
    func `tells what the system has no more of from our own fault`(number: Int32, status: Int32) {
        #expect(ExitStatus(SystemFailure("pipe", number)).rawValue == status)
    }
}
