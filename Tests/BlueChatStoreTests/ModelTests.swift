import Foundation
import Testing
import chat_store_writer

@testable import BlueChatStore

@Suite("A store and a model of it", .timeLimit(.minutes(10)))
struct ModelTests {
    /// `EIGHTBALL_SCHEDULES` says how many operations.
    private static let count =
        ProcessInfo.processInfo.environment["EIGHTBALL_SCHEDULES"].flatMap { Int($0) } ?? 500

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `do the same, whatever is done`(seed: UInt64) async throws {
        let folder = TemporaryFolder()
        var store = try await ChatStore.open(at: folder.store)
        var model = Model()
        for number in 0..<Self.count {
            let operation = Operation(number, seed: seed)
            let (expected, outcome) = (model.apply(operation), try await operation.apply(to: store))
            #expect(outcome == expected, "\(number): \(operation)")
            guard number % 50 == 49 else { continue }
            #expect(try await Model(of: store) == model, "after \(number)")
            try await model.checkViews(of: store)
            guard number % 100 == 99 else { continue }
            await store.close()
            store = try await ChatStore.open(at: folder.store)
            model.reopen()
        }
        try await store.verify()
        await store.close()
    }
}
