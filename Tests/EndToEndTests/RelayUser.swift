import BLEDBus
import Foundation
import Testing

/// Somebody at a shell, with a store and an adapter.
struct RelayUser {
    /// A store's folder, which is removed with this object.
    final class Folder: Sendable {
        let path = "\(NSTemporaryDirectory())/dim-relay-\(UUID().uuidString)"
        deinit { _ = Result { try FileManager.default.removeItem(atPath: path) } }
    }

    let name: String
    let adapter: String
    let bus: String
    let folder = Folder()

    /// Runs a command that needs no radio.
    func run(_ words: String...) async throws -> Tool.Outcome {
        try await Tool("dim-relay", words + ["--store", folder.path, "--json"], bus: bus).end()
    }

    /// The user's link.
    func link() async throws -> String {
        let outcome = try await run("link", "--name", name)
        return try #require(outcome.events.first?["link"] as? String, "\(outcome)")
    }

    /// Starts a node.
    func start(_ options: String...) async throws -> Tool {
        let words =
            ["node", "--adapter", adapter, "--store", folder.path, "--json"] + options
        let tool = try Tool("dim-relay", words, bus: bus)
        try await tool.line(with: "\"ready\"")
        return tool
    }

    /// Sends a text.
    func send(_ text: String, to name: String, _ options: String...) async throws
        -> Tool.Outcome
    {
        let words = ["send", name, text, "--adapter", adapter, "--store", folder.path, "--json"]
        return try await Tool("dim-relay", words + options, bus: bus).end()
    }

    /// Runs a command that sends.
    func sending(_ words: String...) async throws -> Tool.Outcome {
        let options = ["--adapter", adapter, "--store", folder.path, "--json"]
        return try await Tool("dim-relay", words + options, bus: bus).end()
    }

    /// What was said with a contact.
    func texts(with contact: String) async throws -> [String] {
        try await run("messages", contact).events.compactMap { $0["text"] as? String }
    }

    /// Users who have each other's links, on one adapter each.
    static func contacts(_ names: [String], in world: any World) async throws -> [RelayUser] {
        let users = names.enumerated().map { index, name in
            RelayUser(name: name, adapter: "hci\(index)", bus: world.bus.rawValue)
        }
        var links: [String] = []
        for user in users { links.append(try await user.link()) }
        for (index, user) in users.enumerated() {
            for (other, link) in links.enumerated() where other != index {
                #expect(try await user.run("add", link).status == 0)
            }
        }
        return users
    }
}
