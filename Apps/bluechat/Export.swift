import ArgumentParser
import BlueChatStore
import Glibc
import RadioCLI

/// Prints all that is in the store.
struct Export: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Print your friends and all messages as JSON lines.",
        discussion: """
            Needs no radio. Your private key is not in it. Without --store it is the store
            of the full-screen chat.
            """
    )

    @OptionGroup var stored: StoreOptions

    @Flag(help: "Leave out the bytes of files.")
    var withoutFiles = false

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: false)
        try await console.perform {
            try await stored.withStore { store in
                // Who reads no more is an error here, and not the end of the process.
                signal(SIGPIPE, SIG_IGN)
                for try await line in store.export(withFiles: !withoutFiles) {
                    try write(line.printable + "\n")
                    try Task.checkCancellation()
                }
            }
        }
    }

    /// Writes to standard output: what is kept elsewhere is whole, or this fails.
    private func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw FileError(.cannotCreate, "cannot write to standard output")
            }
            rest = rest.dropFirst(count)
        }
    }
}
