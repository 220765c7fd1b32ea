import BLEDBus
import Foundation

/// A file that goes from one adapter to another.
struct FileTransfer {
    let listener: Tool
    let sender: Tool

    init(of files: Files, in world: any World, _ options: [String] = []) throws {
        try self.init(of: files, in: world, listening: options, connecting: options)
    }

    init(
        of files: Files,
        in world: any World,
        from adapter: Int = 0,
        to other: Int = 1,
        listening: [String],
        connecting: [String]
    ) throws {
        let receive = ["listen", "--adapter", "hci\(other)", "--json", "--receive", files.copy]
        let send = ["connect", "--adapter", "hci\(adapter)", "--json", "--send", files.original]
        listener = try Tool("ble-socket", receive + listening, bus: world.bus.rawValue)
        sender = try Tool("ble-socket", send + connecting, bus: world.bus.rawValue)
    }

    func end() async -> (sent: Tool.Outcome, received: Tool.Outcome) {
        let sent = await sender.end()
        // It has called nobody, and nobody else calls the listener.
        if sent.status == 68 || !sent.eventNames.contains("opening") { listener.send(SIGTERM) }
        return (sent, await listener.end())
    }
}

/// A file, and where its copy is to be.
struct Files {
    private let folder: URL
    private let bytes: Data

    init(byteCount: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "ble-socket-\(UUID().uuidString)"
        )
        bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: original))
    }

    var original: String { folder.appendingPathComponent("original").path }
    var copy: String { folder.appendingPathComponent("copy").path }

    /// A file beside them.
    func path(of name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(of: name)))
        return path(of: name)
    }

    var hasCopy: Bool { FileManager.default.fileExists(atPath: copy) }

    var areEqual: Bool {
        get throws { try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes }
    }

    /// How much has come of a file that is not whole.
    var partialByteCount: Int {
        get throws {
            guard let path = try partialPath else { return 0 }
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
    }

    /// A file that is not whole.
    var partialPath: String? {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .first { $0.hasSuffix(".part") }.map(path(of:))
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
