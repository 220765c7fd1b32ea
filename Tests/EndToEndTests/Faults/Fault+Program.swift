import Foundation

extension Fault {
    /// What happens to programs.
    static let program =
        twice(
            "the ball's program is killed",
            waiting: .failed(["deviceOffline"]),
            asker: ["answered"],
            ball: ["advertising", "answer"],
            hasBallProcess: true,
            make: { scene in
                try scene.process.send(SIGKILL)
                try await scene.process.end()
            },
            undo: { try await $0.process.start() }
        )
        + twice(
            "the ball's program is terminated",
            // It says so itself, if there is time.
            waiting: .failed(["rejected deviceOffline", "deviceOffline"]),
            asker: ["answered"],
            ball: ["advertising", "answer"],
            hasBallProcess: true,
            make: { scene in
                try scene.process.send(SIGTERM)
                try await scene.process.end()
            },
            undo: { try await $0.process.start() }
        )
        + [
            Fault(
                "the ball's program is stopped, and goes on",
                asker: ["answered"],
                ball: ["answer"],
                hasBallProcess: true,
                make: { try $0.process.send(SIGSTOP) },
                undo: { scene in
                    try scene.process.send(SIGCONT)
                    if try await scene.world.reviveDaemon() { scene.note("bluetoothd had died") }
                }
            ),
            Fault(
                "the ball's program is stopped, with a question unanswered, and goes on",
                waiting: .answered,
                asker: ["answered"],
                ball: ["answer"],
                hasBallProcess: true,
                make: { scene in
                    try scene.process.send(SIGSTOP)
                    await scene.ball.letAnswer()
                },
                undo: { try $0.process.send(SIGCONT) }
            ),
            Fault(
                "another ball's program is killed while it begins to advertise",
                asker: ["answered"],
                ball: ["answer"],
                make: { scene in
                    let monitor = try await BusMonitor(scene.world.bus)
                    let ball = try scene.world.tool("eightball-answer", "--adapter", "hci1")
                    try await monitor.message("RegisterAdvertisement")
                    ball.send(SIGKILL)
                    await ball.end()
                    _ = await monitor.end()
                },
                undo: { try await $0.removeDeadAdvertisement() }
            ),
        ]
        + ["StartDiscovery", "Connect", "StartNotify", "WriteValue", "ReadValue"].map { method in
            Fault(
                "another asker's program is killed after \(method)",
                asker: nil,
                ball: ["answer"],
                make: { scene in
                    // That one's answer is there to be read.
                    if method == "ReadValue" { await scene.ball.letAnswer() }
                    try await scene.killAsker(after: method)
                }
            )
        }
}
