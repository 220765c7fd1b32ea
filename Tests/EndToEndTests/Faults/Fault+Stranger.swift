import BLEDBus
import Foundation
import Testing

extension Fault {
    private static let privateQuestion = "544dcf2d-80b8-443d-8ecf-24148a54e30c"
    private static let reply = "81d7c03f-cd6c-42e3-a494-a1800cfa129d"
    private static let question = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77"
    private static let answer = "349a0d7b-6215-4e2c-a095-af078d737445"
    private static let ball = "8e38140a-27be-4090-8955-4fc4b5698d1e"

    private static func scan(_ filter: [String: Value]) -> Act {
        { scene in
            try await scene.call(
                FaultScene.hci0,
                "Adapter1",
                "SetDiscoveryFilter",
                .properties(filter)
            )
            try await scene.call(FaultScene.hci0, "Adapter1", "StartDiscovery")
        }
    }

    /// What another program on the asker's or the ball's bus does.
    static let stranger = [
        Fault(
            "another program scans",
            asker: nil,
            ball: nil,
            make: scan([:]),
            undo: { try await $0.call(FaultScene.hci0, "Adapter1", "StopDiscovery") }
        ),
        Fault(
            "another program scans for loud devices only",
            asker: nil,
            ball: nil,
            make: scan(["RSSI": .int16(-20), "Transport": .string("le")]),
            undo: { try await $0.call(FaultScene.hci0, "Adapter1", "StopDiscovery") }
        ),
        Fault(
            "another program scans for a service",
            asker: ["answered"],
            ball: ["answer"],
            make: scan(["UUIDs": .strings([ball])]),
            undo: { try await $0.endDiscovery() }
        ),
        Fault(
            "another program that scans leaves the bus",
            asker: nil,
            ball: nil,
            make: { scene in
                let other = try await scene.world.observer()
                try await other.call(FaultScene.hci0, "Adapter1", "StartDiscovery")
                await other.close()
            }
        ),
        Fault(
            "another program stops a discovery that is not its own",
            asker: nil,
            ball: nil,
            make: { try await $0.expectRefusal(FaultScene.hci0, "Adapter1", "StopDiscovery") }
        ),
        Fault(
            "another program connects to the ball as well",
            waiting: .answered,
            asker: nil,
            ball: nil,
            make: { try await $0.call($0.world.device(1), "Device1", "Connect") }
        ),
        Fault(
            "another program ends a subscription that is not its own",
            waiting: .answered,
            asker: nil,
            ball: nil,
            make: { scene in
                let path = try await scene.characteristic(reply)
                try await scene.expectRefusal(path, "GattCharacteristic1", "StopNotify")
            }
        ),
        Fault(
            "another program subscribes to the reply, and no longer",
            waiting: .answered,
            asker: nil,
            ball: nil,
            make: { scene in
                let path = try await scene.characteristic(reply)
                try await scene.call(path, "GattCharacteristic1", "StartNotify")
                try await scene.call(path, "GattCharacteristic1", "StopNotify")
            }
        ),
        Fault(
            "another program reads reply and answer, as if they were notified",
            waiting: .answered,
            asker: nil,
            ball: nil,
            make: { scene in
                for uuid in [reply, answer] {
                    let path = try await scene.characteristic(uuid)
                    try await scene.call(path, "GattCharacteristic1", "ReadValue", .properties([:]))
                }
            }
        ),
        Fault(
            "another program writes to the ball what is no question",
            waiting: .answered,
            asker: nil,
            ball: ["rejected (malformed)", "answer"],
            make: { scene in
                let path = try await scene.characteristic(privateQuestion)
                let options = Value.properties(["type": .string("request")])
                try await scene.expectRefusal(
                    path,
                    "GattCharacteristic1",
                    "WriteValue",
                    .bytes([0xFF]),
                    options
                )
            }
        ),
        Fault(
            "another program takes the reply's notifications for itself",
            asker: ["failed (radioBusy)", "answered"],
            ball: ["answer"],
            make: { scene in
                // The asker has its subscription as long as its link.
                let sightings = scene.asker.told.count
                try await scene.removeDevice(1, of: 0)
                let isHeard = await scene.asker.told.wait(
                    from: sightings,
                    within: FaultScene.patience
                ) { $0.contains("sighting") }
                try #require(isHeard)
                let device = try scene.world.device(1)
                try await scene.call(device, "Device1", "Connect")
                try await scene.stranger.wait(
                    for: "ServicesResolved",
                    of: "Device1",
                    at: device
                ) { $0?.bool == true }
                let path = try await scene.characteristic(reply)
                scene.keep(
                    try await scene.call(
                        path,
                        "GattCharacteristic1",
                        "AcquireNotify",
                        .properties([:])
                    )
                )
            },
            undo: { await $0.letGo() }
        ),
        Fault(
            "another program takes all places for advertisements",
            asker: nil,
            ball: nil,
            make: { scene in
                let count = try await scene.takeAdvertisements()
                scene.note("\(count) were free")
            }
        ),
        Fault(
            "another program gives the ball's adapter another name",
            asker: nil,
            ball: nil,
            make: { scene in
                try await scene.stranger.set(
                    "Alias",
                    of: "Adapter1",
                    at: FaultScene.hci1,
                    to: .string("Somebody")
                )
            },
            undo: { scene in
                try await scene.stranger.set(
                    "Alias",
                    of: "Adapter1",
                    at: FaultScene.hci1,
                    to: .string("")
                )
            }
        ),
        Fault(
            "another program calls bluetoothd a hundred times at once",
            waiting: .answered,
            asker: nil,
            ball: nil,
            make: { scene in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...100 {
                        group.addTask {
                            _ = try await scene.stranger.property(
                                "Powered",
                                of: "Adapter1",
                                at: FaultScene.hci0
                            )
                        }
                    }
                    try await group.waitForAll()
                }
            }
        ),
        Fault(
            "another program serves a ball on the same adapter, and dies",
            asker: ["answered"],
            ball: ["answer"],
            make: { scene in
                let other = try await ScriptedBall(in: scene.world) { ball, call in
                    call.reply()
                    ball.notify(Array("SLUG-ANSWER-08".utf8))
                }
                scene.keep(other)
            },
            undo: { await $0.letGo() }
        ),
    ]
}
