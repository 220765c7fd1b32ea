import Foundation

/// A `chat-store-writer`, which is killed with this object at the latest; after three minutes it ends by
/// itself.
final class WriterProcess {
    /// What it prints, line by line; ends with it.
    let lines: AsyncStream<String>
    private let process = Process()

    var pid: Int32 { process.processIdentifier }

    init(_ arguments: String...) throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = folder.appendingPathComponent("chat-store-writer")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        try process.run()
        let descriptor = output.fileHandleForReading.fileDescriptor
        // A thread of its own: those of the tasks are not to wait for a process.
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                rest += buffer.prefix(count)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            withExtendedLifetime(output) { continuation.finish() }
        }
    }

    deinit {
        kill()
    }

    /// Kills it, and waits until it is gone.
    func kill() {
        if process.isRunning { Foundation.kill(pid, SIGKILL) }
        process.waitUntilExit()
    }
}
