import BLE
import MagicEightBall
import RadioCLI

/// Prints balls as they come, change and go.
final class ListReporter: CentralObserver {
    private let console: Console
    /// Printed before anything that is discovered.
    let scan: ScanAnnouncement
    private let isWanted: @Sendable (any BallDevice) -> Bool

    init(
        _ console: Console,
        adapter: String,
        isWanted: @escaping @Sendable (any BallDevice) -> Bool
    ) {
        self.console = console
        scan = ScanAnnouncement(console, adapter: adapter, sought: "balls")
        self.isWanted = isWanted
    }

    func central(_ central: any AskingCentral, radioDidBecome state: RadioState) async {
        console.event(["event": "radio", "state": .string("\(state)")])
        console.progress("the radio is \(state)")
    }

    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        guard isWanted(device) else { return }
        await scan.make()
        let rssi = await device.rssi
        console.event([
            "event": "sighting",
            "device": .string(device.id.rawValue),
            "name": .string(device.name),
            "rssi": rssi.map { .integer($0.rawValue) },
        ])
        show("found", device, rssi.map { "\($0)" })
    }

    func central(_ central: any AskingCentral, didChange device: any BallDevice) async {
        guard isWanted(device) else { return }
        let smoothed = await device.smoothedRSSI
        let isInRange = await device.isInRange
        console.event([
            "event": "changed",
            "device": .string(device.id.rawValue),
            "name": .string(device.name),
            "rssi": await device.rssi.map { .integer($0.rawValue) },
            "smoothed": smoothed.map { .integer($0.rawValue) },
            "range": isInRange ? "in" : "out",
        ])
        show(isInRange ? "now" : "far", device, smoothed.map { "\($0)" })
    }

    func central(_ central: any AskingCentral, didLose device: any BallDevice) async {
        guard isWanted(device) else { return }
        console.event([
            "event": "lost",
            "device": .string(device.id.rawValue),
            "name": .string(device.name),
        ])
        show("lost", device, nil)
    }

    func central(_ central: any AskingCentral, didFail error: EightBallError) async {
        console.event(of: error)
    }

    /// A line in columns: what happened, the address, the strength, the name.
    private func show(
        _ event: String,
        _ device: any BallDevice,
        _ strength: String?
    ) {
        guard !console.isJSON else { return }
        let columns = [(event, 5), (device.id.rawValue, 17), (strength ?? "-", 8)]
        let start = columns.map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        console.result(start.joined(separator: "  ") + "  " + device.name)
    }
}
