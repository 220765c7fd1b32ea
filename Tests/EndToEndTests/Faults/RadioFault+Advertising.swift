import BLE
import BLEDBus
import Testing
import VirtualBlueZ

extension RadioFault {
    private static let confirms = "a bluetoothd confirms by itself, and at once"

    /// What becomes of advertisements, and of what centrals have to confirm.
    static let advertisements = [
        RadioFault(
            "there is no room for another advertisement",
            make: { scene in
                scene.begin("one advertisement too many", ["limitReached"], by: scene.peripheral) {
                    while true { _ = try await scene.advertise() }
                }
            },
            undo: { await $0.stopAdvertising() }
        ),
        RadioFault(
            "another program takes the place of an advertisement that is paused",
            peripheral: ["an advertisement failed (limitReached)", "an advertisement resumed"],
            make: { scene in
                let advertising = try await scene.advertise()
                try await advertising.pause()
                await #expect(throws: (any Error).self) {
                    try await scene.stranger.advertise(64, with: 1)
                }
                scene.begin("an advertisement", ["limitReached"], by: scene.peripheral) {
                    try await advertising.resume()
                    return "resumed"
                }
                _ = try await scene.settle()
                await scene.stranger.leave()
                // bluetoothd learns of it after the bus.
                let manager = "LEAdvertisingManager1"
                try await scene.observer.wait(
                    for: "ActiveInstances",
                    of: manager,
                    at: "/org/bluez/hci1"
                ) { $0?.integer == 1 }
                scene.begin("an advertisement", ["resumed"], by: scene.peripheral) {
                    try await advertising.resume()
                    return "resumed"
                }
            }
        ),
        RadioFault(
            "all adapters are pulled out, with an advertisement on the air",
            // Its own adapter may be the first to go.
            central: ["disconnected (peerGone) or disconnected (off)"],
            peripheral: ["ended (absent)", "published"],
            make: { scene in
                let advertising = try await scene.advertise()
                scene.begin("an advertisement", ["absent"], by: scene.peripheral) {
                    try await advertising.waitUntilEnded()
                    return "stopped"
                }
                try await scene.world.unplug()
            },
            undo: { scene in
                await scene.stopAdvertising()
                try await scene.world.plug()
            }
        ),
        indicating(
            "a central leaves before it confirms",
            ["unconfirmed"],
            central: ["disconnected (peerGone)"],
            peripheral: ["disconnected", "connected"]
        ) { scene in
            try await scene.pull(.init("Disconnect", .between))
        },
        indicating(
            "a central does not confirm before its peripheral's program gives up",
            ["cancelled"],
            within: .milliseconds(200)
        ) { _ in },
        indicating(
            "a central never confirms",
            ["unconfirmed"],
            central: ["disconnected (peerGone)"],
            peripheral: ["disconnected", "connected"],
            isLong: true
        ) { _ in },
    ]

    /// A central keeps its confirmation back.
    private static func indicating(
        _ description: String,
        _ codes: Set<String>,
        within limit: Duration = .seconds(120),
        central: [String] = [],
        peripheral: [String] = [],
        isLong: Bool = false,
        make: @escaping Act
    ) -> RadioFault {
        RadioFault(
            description,
            central: central,
            peripheral: peripheral,
            isLong: isLong,
            virtualOnlyBecause: confirms,
            make: { scene in
                try await scene.link.subscribe(to: PortScene.confirmed)
                let publication = try scene.publication
                try await scene.pull(.init("KeepConfirmations", .between, .bool(true)))
                try await scene.begin(
                    "an indication",
                    codes,
                    upTo: "PropertiesChanged",
                    by: scene.peripheral
                ) {
                    let confirmation = try await withTimeLimit(limit, on: ContinuousClock()) {
                        try await publication.indicate(PortScene.confirmed, to: [1])
                    }
                    return confirmation.map { "\($0)" } ?? "cancelled"
                }
                try await make(scene)
                _ = try await scene.settle()
            },
            undo: { try await $0.pull(.init("KeepConfirmations", .between, .bool(false))) }
        )
    }
}
