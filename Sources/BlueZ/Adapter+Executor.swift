public import BLE
internal import BLEDBus

extension Adapter {
    /// The thread of the connection to the bus: what bluetoothd says is handled there.
    public nonisolated var executor: any RadioExecutor { connection.loop }
}

extension ConnectionLoop: RadioExecutor {
    package func call(_ work: @escaping @Sendable () -> Void) { post(work) }

    package func call(
        at time: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) -> ScheduledCall {
        let id = post(at: time, work)
        return ScheduledCall { self.cancel(id) }
    }
}
