import RadioCLI

/// Prints once that a scan has started, before the first ball that it finds.
actor ScanAnnouncement {
    private let console: Console
    private let adapter: String
    private let sought: String
    private var isMade = false

    /// - Parameters:
    ///   - console: where to print.
    ///   - adapter: the name of the radio.
    ///   - sought: what is looked for, `a ball`.
    init(_ console: Console, adapter: String, sought: String) {
        self.console = console
        self.adapter = adapter
        self.sought = sought
    }

    func make() {
        guard !isMade else { return }
        isMade = true
        console.event(["event": "scanning", "adapter": .string(adapter)])
        console.progress("looking for \(sought) with \(adapter)")
    }
}
