import Logging

extension Logger {
    /// Logs nothing, where thousands of events are played.
    static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
}
