/// What a daemon was started with, so that another can take its place.
struct Setup: Sendable {
    /// The bus.
    let address: String
    let version: BlueZVersion

    /// The MTU of all links, in bytes.
    let mtu: Int
    let timing: Timing

    /// The clock of the first daemon and of all that take its place.
    let clock: DaemonClock

    /// That clock, if a test moves it.
    let manualClock: ManualClock?
    let seed: UInt64
}
