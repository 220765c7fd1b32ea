import BLE
import BlueZ
import EightBallCLI
import MagicEightBall

// Balls as they come and go.
extension Ask {
    /// Lists balls for the time that the options say, or until interrupted.
    ///
    /// - Throws: the radio's failure; that no ball was heard is none.
    func list(over radio: Adapter, console: Console) async throws {
        let central = EightBallCentral(
            radio: radio,
            rssiWindow: rssi,
            timeouts: Timeouts(discovery: scanFor ?? Self.aLifetime)
        )
        let reporter = ListReporter(console) { isWanted($0) }
        await central.addObserver(reporter)
        let result: Result<Void, any Error>
        do {
            try await central.start()
            reporter.scanning(with: radio.name)
            // None is: this looks around for its time, or until the radio fails.
            _ = try await central.discoverDevice { _ in false }
            result = .success(())
        } catch let error as EightBallError where error.code == .noBallFound {
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await central.stop()
        try result.get()
    }

    private static let aLifetime = Duration.seconds(100 * 365 * 86_400)
}
