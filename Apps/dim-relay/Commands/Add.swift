import ArgumentParser
import MeshRelay
import RadioCLI

/// Adds a contact.
struct Add: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Add a contact by their link.",
        discussion: """
            Compare the fingerprints, and then say 'dim-relay verify NAME'.

            A QR code is read from a picture by zbarimg (Debian: zbar-tools).
            """
    )

    @Argument(help: "Their link, dim://name#digits//key, in quotes; - for a line of input.")
    var link: String?

    @Option(help: "Read their link from the QR code in this picture.")
    var image: String?

    @Flag(help: "Take the link though the contact had another key before.")
    var replace = false

    @OptionGroup var options: PlainOptions

    func validate() throws {
        guard (link == nil) != (image == nil) else {
            throw ValidationError("say their link, or the picture with --image")
        }
    }

    func run() async throws {
        let console = Console(command: "dim-relay", isJSON: options.json)
        try await console.perform {
            try await options.perform(.add(link: text(), replaces: replace), on: console)
        }
    }

    private func text() async throws -> String {
        if let image { return try await LinkPicture(path: image).link() }
        guard link == "-" else { return link ?? "" }
        for try await line in StandardInput.lines(maximumByteCount: 1_024) {
            return line
        }
        throw RelayError(.invalidLink, "the input has no link")
    }
}
