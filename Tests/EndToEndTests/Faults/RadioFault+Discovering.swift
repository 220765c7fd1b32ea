import BLE
import BLEDBus
import VirtualBlueZ

extension RadioFault {
    private static let noChoice = "what bluetoothd tells of a peer can't be chosen"
    private static let slow = Timing(resolving: .seconds(2), disconnecting: .milliseconds(30))

    /// Something happens while services are being discovered.
    private static func discovering(
        _ description: String,
        central: [String] = ["disconnected (peerGone)"],
        peripheral: [String] = ["disconnected", "connected"],
        codes: Set<String> = ["peerGone"],
        otherCharacteristics: Int = 0,
        because reason: String? = noChoice,
        timing: Timing = .quick,
        before prepare: @escaping Act = { _ in },
        make: @escaping Act,
        undo: @escaping Act = { _ in }
    ) -> RadioFault {
        RadioFault(
            description,
            central: central,
            peripheral: peripheral,
            otherCharacteristics: otherCharacteristics,
            virtualOnlyBecause: reason,
            timing: timing,
            make: { scene in
                try await scene.disconnect()
                // Else its services are known from before.
                await scene.forgetPeer()
                try await prepare(scene)
                let link = try await scene.connect()
                scene.begin("the discovery", codes) {
                    _ = try await link.discoverServices()
                    return "done"
                }
                try await make(scene)
            },
            undo: undo
        )
    }

    /// What becomes of a discovery of services that is cut.
    static let discoveries = [
        RadioFault(
            "connections break off, one after the other",
            virtualOnlyBecause: "emulated controllers lose nothing",
            make: { scene in
                try await scene.disconnect()
                let lever = FaultScene.Pull("AbortConnections", .between, .uint32(10))
                try await scene.pull(lever)
                scene.begin("a connection", ["connectionFailed"]) {
                    _ = try await scene.connect()
                    return "done"
                }
                _ = try await scene.settle()
            },
            undo: { try await $0.pull(.init("AbortConnections", .between, .uint32(1))) }
        ),
        discovering(
            "the link ends before any service is known",
            because: "a bluetoothd finds all characteristics before it has ended a link",
            timing: slow,
            make: { try await $0.world.endLink(from: 1, to: 0) }
        ),
        discovering(
            "bluetoothd is killed before any service is known",
            central: ["disconnected (noService)"],
            peripheral: ["ended (noService)", "published"],
            codes: ["noService", "peerGone"],
            otherCharacteristics: WorldKind.current == .real ? 200 : 0,
            because: nil,
            timing: slow,
            make: { try await $0.world.killDaemon() },
            undo: { try await $0.world.startDaemon() }
        ),
        discovering(
            "the link ends when services are resolved, and there are no objects",
            timing: slow,
            before: { try await $0.pull(.init("ResolveEarly", .between, .uint32(1))) },
            make: { scene in
                let device = try scene.world.device(1)
                try await scene.observer.wait(for: "ServicesResolved", of: "Device1", at: device) {
                    $0?.bool == true
                }
                try await scene.pull(.init("Disconnect", .between))
            }
        ),
        discovering(
            "the link ends after services were never resolved",
            before: { try await $0.pull(.init("ResolveNever", .between, .uint32(1))) },
            make: { scene in
                // The other end's are, just before.
                let device = try scene.world.device(0, of: 1)
                try await scene.observer.wait(for: "ServicesResolved", of: "Device1", at: device) {
                    $0?.bool == true
                }
                try await scene.pull(.init("Disconnect", .between))
            }
        ),
        discovering(
            "the link goes dead, and the peripheral's host replies to nothing",
            before: { try await $0.pull(.init("Silence", .ball)) },
            make: { try await $0.pull(.init("LoseLink", .between)) },
            undo: { try await $0.pull(.init("Speak", .ball)) }
        ),
        discovering(
            "the services go before they are known",
            central: [],
            peripheral: [],
            codes: ["done"],
            timing: slow,
            make: { try await $0.pull(.init("RemoveService", .ball, .string(service))) },
            undo: { try await $0.pull(.init("RestoreService", .ball, .string(service))) }
        ),
    ]

    private static let service = PortScene.service.longText.lowercased()
}

extension RadioFaultScene {
    /// Lets bluetoothd forget the peripheral, so that its services are discovered anew.
    fileprivate func forgetPeer() async {
        do {
            let device = try world.device(1)
            try await observer.call(
                "/org/bluez/hci0",
                "Adapter1",
                "RemoveDevice",
                [.objectPath(device)]
            )
        } catch {
            // It is forgotten already.
        }
    }
}
