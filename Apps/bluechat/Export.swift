import ArgumentParser
import BlueChatStore
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
                for try await line in store.export(withFiles: !withoutFiles) {
                    console.result(line)
                    try Task.checkCancellation()
                }
            }
        }
    }
}
