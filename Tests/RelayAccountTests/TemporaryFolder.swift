import BLESQLite
import Foundation
import MeshRelay

@testable import RelayAccount

/// A folder for one test, which is removed with this object.
final class TemporaryFolder: Sendable {
    let path = "\(NSTemporaryDirectory())/relay-\(UUID().uuidString)"

    deinit {
        _ = Result { try FileManager.default.removeItem(atPath: path) }
    }

    /// A new store, or what is there of it.
    func open(_ limits: RelayStoreLimits = RelayStoreLimits()) async throws -> RelayStore {
        try await RelayStore.open(in: path, limits: limits)
    }

    /// Changes the database as somebody does who has not the key.
    func change(_ statement: String, _ values: [Value] = []) throws {
        let database = try Database(path: "\(path)/relay.db")
        defer { database.close() }
        try database.run(statement, values)
    }

    /// The bytes of all files but the lock's.
    func contents() throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            .filter { !$0.hasSuffix("-lock") }
            .reduce(into: Data()) {
                $0 += try Data(contentsOf: URL(fileURLWithPath: "\(path)/\($1)"))
            }
    }
}

/// Contacts for tests.
enum Person {
    static let bob = link("bobby#5678")
    static let carol = link("carol#1234")

    private static func link(_ address: String) -> RelayLink {
        do {
            return RelayLink(address: try RelayAddress(address), key: RelayIdentity().key)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
