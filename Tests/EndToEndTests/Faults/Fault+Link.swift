extension Fault {
    /// What happens to the link between the two.
    static let link =
        twice(
            "another program ends the link at the asker's side",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "connected", "answered"],
            ball: ["disconnected", "connected", "answer"],
            make: { try await $0.call($0.world.device(1), "Device1", "Disconnect") }
        )
        + twice(
            "another program ends the link at the ball's side",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "connected", "answered"],
            ball: ["disconnected", "connected", "answer"],
            make: { try await $0.call($0.world.device(0, of: 1), "Device1", "Disconnect") }
        )
        + twice(
            "another program removes the ball's device",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "answered"],
            ball: ["disconnected", "connected", "answer"],
            make: { try await $0.removeDevice(1, of: 0) }
        )
        + twice(
            "another program removes the asker's device",
            waiting: .failed(["deviceOffline"]),
            asker: ["disconnected (deviceOffline)", "answered"],
            ball: ["disconnected", "connected", "answer"],
            make: { try await $0.removeDevice(0, of: 1) }
        )
}
