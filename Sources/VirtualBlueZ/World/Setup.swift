/// What a daemon was started with, so that another can take its place.
struct Setup: Sendable {
    /// The bus.
    let address: String
    let timing: Timing
    let clock: any Clock<Duration>
}
