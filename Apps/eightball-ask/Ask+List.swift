import BLE
import BlueZ
import MagicEightBall
import RadioCLI

// Balls as they come and go.
extension Ask {
    /// Lists balls for the time that the options say, or until interrupted.
    ///
    /// - Throws: the radio's failure; that no ball was found is none.
    func list(over radio: Adapter, console: Console) async throws {
        let central = EightBallCentral(
            radio: radio,
            rssiWindow: rssi,
            logger: self.radio.logger
        )
        let reporter = ListReporter(console, adapter: radio.name) { isWanted($0) }
        await central.addObserver(reporter)
        let result: Result<Void, any Error>
        do {
            try await central.start()
            await reporter.scan.make()
            // The reporter prints them.
            for try await _ in await central.discoveries(for: scanFor) {}
            try Task.checkCancellation()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await central.stop()
        try result.get()
    }
}
