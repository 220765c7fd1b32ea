import BLE
import BLEDBusTesting
import BLETesting

@testable import BlueZ

// One schedule, from its beginning to its end.
extension AdapterWorld {
    func play() async {
        for _ in 0..<dice.number(in: 10...60) {
            await step()
            await passTime()
            // Now and then several things happen before anybody has heard of the first.
            if dice.chance(60) { await settle() }
        }
        note("all is taken back")
        await comeBack()
        await setPower(true)
        await settle()
        takeBackAll()
        await endCalls(but: { $0.hasPrefix("events") && self.isConnected })
        checkNothingIsLeft()
        let adapter = adapter
        let closing = Task { await adapter.close() }
        await endCalls { _ in false }
        await closing.value
        await daemon?.stop()
    }

    private func step() async {
        switch dice.number(in: 0...99) {
        case 0...34:
            // Calls to different objects may overtake each other.
            guard let index = dice.element(of: await answerable()) else { return }
            await answer(at: index, refusing: dice.chance(12))
        case 35...42: connect()
        case 43...56: useLink()
        case 57...64: await resolve()
        case 65...69: scan()
        case 70...73: publish()
        case 74...77: usePublication()
        case 78...82: await hear()
        case 83...86: await notify()
        case 87...90: cancel()
        case 91...92: await drop()
        case 93: await withdrawService()
        case 94: await setPower(false)
        case 95...96: await setPower(true)
        case 97: await crash()
        default: await comeBack()
        }
    }

    /// Answers each call that comes, until nothing of the program's waits any more, and nothing is left of it.
    ///
    /// Who cancels does not wait until all is taken back.
    private func endCalls(but mayStay: (String) -> Bool) async {
        var patience = 400
        while patience > 0 {
            patience -= 1
            await settle()
            await passLimits()
            if let daemon, await !daemon.keptCalls().isEmpty {
                await answer(at: 0, refusing: false)
            } else if calls.values.allSatisfy({ mayStay($0.name) }), patience < 396,
                isNothingLeft || patience == 0
            {
                return
            }
        }
        fault("these have not ended: \(calls.values.map(\.name))")
    }

    private var isNothingLeft: Bool {
        !isDiscovering && !isConnected && notifying.isEmpty && registered.isEmpty
    }

    private func checkNothingIsLeft() {
        if isDiscovering { fault("org.bluez discovers still") }
        if isConnected { fault("the link is left") }
        if !notifying.isEmpty { fault("\(notifying) notify still") }
        if !registered.isEmpty { fault("\(registered) are registered still") }
    }
}
