/// What an adapter is until it is told otherwise, or for a time.
enum AdapterMode: String, CaseIterable {
    case discoverable = "Discoverable"
    case pairable = "Pairable"

    /// The property that has its time in seconds, 0 for one without an end.
    var timeout: String { rawValue + "Timeout" }
}
