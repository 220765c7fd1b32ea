import Foundation

/// A program of this package in a process of its own, beside this one.
final class Program: Sendable {
    private let process: Process
    private let output: FileHandle

    /// Starts a program that lies in the folder of this one.
    init(_ name: String, _ arguments: [String] = [], bus: String? = nil) throws {
        let pipe = Pipe()
        process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent(name)
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        process.environment = environment
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        output = pipe.fileHandleForReading
    }

    deinit {
        process.terminate()
    }

    /// What the system says that it uses.
    var reading: ProcessReading { ProcessReading(of: process.processIdentifier) }

    /// The first line that it prints; empty when it ends without.
    func firstLine() -> String {
        var bytes = Data()
        while true {
            let next = output.readData(ofLength: 1)
            guard !next.isEmpty, next != Data("\n".utf8) else { break }
            bytes += next
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads all that it prints from now on, and drops it.
    func dropOutput() {
        output.readabilityHandler = { _ = $0.availableData }
    }

    /// Ends it in order.
    func end() {
        output.readabilityHandler = nil
        process.terminate()
        process.waitUntilExit()
    }
}
