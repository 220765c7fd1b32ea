import BLE
import BLEDBus
import Testing

extension RadioFaultScene {
    /// Lets the fault come and go, and looks what becomes of both.
    func play() async throws -> FaultScene.Outcome {
        let (heard, shown) = (central.count, peripheral.count)
        try await fault.make(self)
        var lostCount = try await settle()
        try await fault.undo(self)
        let recovery = try await recover()
        if recovery == nil { Issue.record("not used again; at last, \(lastFailure)") }
        lostCount += try await settle()
        #expect(lostCount == 0, "what was begun has not ended")
        await expect(fault.central, from: heard, of: central, "central")
        await expect(fault.peripheral, from: shown, of: peripheral, "peripheral")
        let outcome = FaultScene.Outcome(
            asker: central.lines(from: heard).withoutRepetitions,
            ball: peripheral.lines(from: shown).withoutRepetitions,
            recovery: recovery,
            askedCount: begunCount,
            lostCount: lostCount,
            remark: retries
        )
        try await expectNothingLeft()
        return outcome
    }

    private func expect(
        _ wanted: [String],
        from start: Int,
        of told: Chronicle,
        _ who: String
    ) async {
        let isTold = await told.wait(from: start, within: Self.patience) { wanted.areTold(in: $0) }
        #expect(isTold, "the \(who) should be told \(wanted): \(told.lines(from: start))")
    }

    /// Ends all, and sees that bluetoothd has nothing more of it, while both radios are still open.
    private func expectNothingLeft() async throws {
        try await disconnect()
        await stopAdvertising()
        await withdraw()
        let hci1: ObjectPath = "/org/bluez/hci1"
        try await observer.wait(for: "ActiveInstances", of: "LEAdvertisingManager1", at: hci1) {
            $0?.integer == 0
        }
        let service = PortScene.service.longText.lowercased()
        try await observer.wait(for: "UUIDs", of: "Adapter1", at: hci1) {
            $0?.strings?.contains(service) == false
        }
        try await observer.wait(for: "Discovering", of: "Adapter1", at: "/org/bluez/hci0") {
            $0?.bool == false
        }
        for device in try await observer.objects(with: "Device1") {
            try await ifThere {
                try await self.observer.wait(for: "Connected", of: "Device1", at: device) {
                    $0?.bool == false
                }
            }
        }
        for path in try await observer.objects(with: "GattCharacteristic1") {
            for name in ["Notifying", "NotifyAcquired", "WriteAcquired"] {
                try await ifThere {
                    let value = try await self.observer.property(
                        name,
                        of: "GattCharacteristic1",
                        at: path
                    )
                    #expect(value?.bool != true, "\(name) of \(path)")
                }
            }
        }
    }

    /// Looks at an object, or a property, that may be gone.
    private func ifThere(_ look: () async throws -> Void) async throws {
        do {
            try await look()
        } catch is ErrorReply {
            return
        }
    }
}
