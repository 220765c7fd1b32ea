/// What a daemon was started with, so that another can take its place.
struct Setup: Sendable {
    /// The bus.
    let address: String
    let version: BlueZVersion

    /// The MTU of all links, in bytes.
    let mtu: Int
    let timing: Timing
    let clock: any Clock<Duration>
}
