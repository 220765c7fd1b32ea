extension Fault {
    /// What happens to bluetoothd.
    static let daemon =
        twice(
            "bluetoothd is killed",
            waiting: .failed(["noService", "deviceOffline"]),
            asker: ["radio absent", "radio on", "sighting", "answered"],
            ball: ["radio absent", "advertising", "answer"],
            make: { try await $0.world.killDaemon() },
            undo: { try await $0.world.startDaemon() }
        )
        + twice(
            "bluetoothd ends in order",
            waiting: .failed(["noService", "deviceOffline", "radioAbsent"]),
            asker: ["radio absent", "radio on", "sighting", "answered"],
            ball: ["radio absent", "advertising", "answer"],
            make: { try await $0.world.stopDaemon() },
            undo: { try await $0.world.startDaemon() }
        )
        + twice(
            "bluetoothd is killed and started at once",
            waiting: .failed(["noService", "deviceOffline"]),
            asker: ["answered"],
            ball: ["advertising", "answer"],
            make: {
                try await $0.world.killDaemon()
                try await $0.world.startDaemon()
            }
        )
        + [
            Fault(
                "bluetoothd is killed and started three times in a row",
                asker: ["answered"],
                ball: ["advertising", "answer"],
                make: {
                    for _ in 1...3 {
                        try await $0.world.killDaemon()
                        try await $0.world.startDaemon()
                    }
                }
            ),
            Fault(
                "bluetoothd is stopped, and goes on",
                asker: ["answered"],
                ball: ["answer"],
                make: { try await $0.world.pauseDaemon() },
                undo: { try await $0.world.resumeDaemon() }
            ),
            Fault(
                "bluetoothd is stopped while a question waits, and goes on",
                waiting: .answered,
                asker: ["answered"],
                ball: ["answer"],
                make: { scene in
                    try await scene.world.pauseDaemon()
                    await scene.ball.letAnswer()
                },
                undo: { try await $0.world.resumeDaemon() }
            ),
            Fault(
                "bluetoothd is stopped for longer than a question may take",
                waiting: .failed(["timedOut answering"]),
                asker: ["failed (timedOut answering)", "answered"],
                ball: ["answer"],
                make: { try await $0.world.pauseDaemon() },
                undo: { try await $0.world.resumeDaemon() }
            ),
            Fault(
                "bluetoothd is stopped, killed, and started",
                asker: ["radio absent", "radio on", "answered"],
                ball: ["advertising", "answer"],
                make: { scene in
                    try await scene.world.pauseDaemon()
                    try await scene.world.killDaemon()
                },
                undo: { try await $0.world.startDaemon() }
            ),
        ]
}
