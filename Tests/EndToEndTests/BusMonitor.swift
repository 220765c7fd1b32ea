import BLEDBus
import Foundation

/// What passes over a bus, as `dbus-monitor` sees it.
struct BusMonitor {
    /// One message.
    struct Line {
        /// `mc` for a call, `mr` for a reply, `err`, `sig`.
        let kind: String
        let sender: String
        let destination: String
        let member: String

        /// `type timestamp serial sender destination path interface member`, tabs between.
        init?(_ text: String) {
            let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count >= 5 else { return nil }
            kind = String(fields[0])
            sender = String(fields[3])
            destination = String(fields[4])
            member = fields.count > 7 ? String(fields[7]) : ""
        }
    }

    private let process: Tool

    /// Begins to look; returns when nothing is missed.
    init(_ bus: BusAddress) async throws {
        process = try Tool(
            URL(fileURLWithPath: "/usr/bin/dbus-monitor"),
            ["--address", bus.rawValue, "--profile"],
            bus: nil
        )
        try await process.line(with: "NameAcquired")
    }

    /// Waits for a message of a name, or of one that begins so.
    func message(_ member: String) async throws {
        try await process.line(with: "\t\(member)")
    }

    /// Ends it: all that was seen.
    func end() async -> [Line] {
        process.send(SIGTERM)
        return await process.end().lines.compactMap(Line.init)
    }
}
