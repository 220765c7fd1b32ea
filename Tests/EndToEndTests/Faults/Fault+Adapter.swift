extension Fault {
    /// What happens to adapters.
    static let adapter =
        twice(
            "the asker's adapter is turned off",
            waiting: .failed(["radioOff", "deviceOffline"]),
            asker: ["radio off", "radio on", "answered"],
            ball: ["disconnected", "connected", "answer"],
            make: { try await $0.world.powerOff(0) },
            undo: { try await $0.world.powerOn(0) }
        )
        + twice(
            "the ball's adapter is turned off",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "answered"],
            ball: ["radio off", "radio on", "answer"],
            make: { try await $0.world.powerOff(1) },
            undo: { try await $0.world.powerOn(1) }
        )
        + twice(
            "all adapters are pulled out",
            waiting: .failed(["radioAbsent", "deviceOffline"]),
            asker: ["radio absent", "radio on", "sighting", "answered"],
            ball: ["radio absent", "radio on", "advertising", "answer"],
            make: { try await $0.world.unplug() },
            undo: { try await $0.world.plug() }
        )
        + twice(
            "all adapters are blocked by rfkill",
            waiting: .failed(["radioOff", "deviceOffline"]),
            asker: ["radio off", "radio on", "answered"],
            ball: ["radio off", "radio on", "answer"],
            make: { try await $0.world.block() },
            undo: { try await $0.world.unblock() }
        )
        + [
            Fault(
                "the asker's adapter is turned off and on at once",
                asker: ["answered"],
                ball: ["answer"],
                make: { scene in
                    try await scene.world.powerOff(0)
                    try await scene.world.powerOn(0)
                }
            ),
            Fault(
                "both adapters are turned off",
                asker: ["radio off", "radio on", "answered"],
                ball: ["radio off", "radio on", "answer"],
                make: { scene in
                    try await scene.world.powerOff(0)
                    try await scene.world.powerOff(1)
                },
                undo: { scene in
                    try await scene.world.powerOn(1)
                    try await scene.world.powerOn(0)
                }
            ),
            Fault(
                "bluetoothd is killed, the adapters are pulled out and put back, and it is started",
                asker: ["radio absent", "radio on", "sighting", "answered"],
                ball: ["radio absent", "advertising", "answer"],
                make: { scene in
                    try await scene.world.killDaemon()
                    try await scene.world.unplug()
                },
                undo: { scene in
                    try await scene.world.plug()
                    try await scene.world.startDaemon()
                }
            ),
        ]
}
