import BLETesting
import Foundation
import Testing
import chat_store_writer

@testable import BlueChatStore

@Suite("A process that is killed", .timeLimit(.minutes(30)))
struct KillTests {
    /// `CHAT_STORE_KILLS` says how many.
    private static let count =
        ProcessInfo.processInfo.environment["CHAT_STORE_KILLS"].flatMap { Int($0) } ?? 20

    /// What its store holds afterwards is what it has confirmed, or that and the operation it was at.
    @Test func `has lost nothing that was confirmed, and left nothing half done`() async throws {
        var generator = SeededGenerator(seed: 5)
        var folder = TemporaryFolder()
        var (model, seed, next) = (Model(), UInt64(0), 0)
        var (confirmedCount, unconfirmedCount) = (0, 0)
        for kill in 0..<Self.count {
            if kill % 50 == 0 {
                (folder, model, seed, next) = (TemporaryFolder(), Model(), UInt64(kill), 0)
            }
            let first = next
            // One in ten is killed while it starts, or makes or opens its store.
            let isEarly = kill % 10 == 9 || kill % 50 == 0
            let last = try await Self.lastConfirmed(
                in: folder,
                seed: seed,
                from: next,
                killedAfter: isEarly ? 0 : Int.random(in: 1...40, using: &generator),
                and: Int.random(in: 0..<(isEarly ? 1_200_000 : 20_000), using: &generator)
            )
            while next <= last ?? -1 {
                _ = model.apply(Operation(next, seed: seed))
                next += 1
            }
            confirmedCount += next - first
            var further = model
            _ = further.apply(Operation(next, seed: seed))
            model.reopen()
            further.reopen()

            let store = try await ChatStore.open(at: folder.store)
            let found = try await Model(of: store)
            try await store.verify()
            await store.close()
            if found == further && further != model {
                (model, next) = (further, next + 1)
                unconfirmedCount += 1
            }
            try #require(found == model, "kill \(kill), after operation \(next - 1)")
        }
        print(
            "kills: \(Self.count), operations confirmed: \(confirmedCount), done and not yet "
                + "confirmed: \(unconfirmedCount), lost: 0"
        )
    }

    /// Lets a process write, and kills it.
    ///
    /// - Returns: the number of the last operation that it has confirmed.
    private static func lastConfirmed(
        in folder: TemporaryFolder,
        seed: UInt64,
        from first: Int,
        killedAfter lineCount: Int,
        and turnCount: Int
    ) async throws -> Int? {
        let process = try WriterProcess("write", folder.store, "\(seed)", "\(first)")
        var lines = process.lines.makeAsyncIterator()
        var last: String?
        for _ in 0..<lineCount { last = await lines.next() }
        // A moment at random within what it does meanwhile; nothing is waited for.
        for turn in 0..<turnCount { withExtendedLifetime(turn) {} }
        process.kill()
        while let line = await lines.next() { last = line }
        return last.flatMap { Int($0) }
    }

    @Test func `is the only one of those that made a store at once`() async throws {
        for _ in 0..<5 {
            let folder = TemporaryFolder()
            let processes = try (0..<4).map { _ in try WriterProcess("hold", folder.store) }
            var outcomes: [String] = []
            for process in processes {
                var lines = process.lines.makeAsyncIterator()
                outcomes.append(await lines.next() ?? "nothing")
            }
            #expect(outcomes.sorted() == ["inUse", "inUse", "inUse", "open"])
        }
    }

    @Test func `gives its store to the next one`() async throws {
        let folder = TemporaryFolder()
        let process = try WriterProcess("hold", folder.store)
        var lines = process.lines.makeAsyncIterator()
        #expect(await lines.next() == "open")
        do {
            _ = try await ChatStore.open(at: folder.store)
            Issue.record("it was opened twice")
        } catch let error as ChatStoreError {
            #expect(error.code == .inUse)
            #expect(
                error.message == "Cannot open the chat store \(folder.store): another program has "
                    + "it open, process \(process.pid)"
            )
        }
        process.kill()
        let store = try await ChatStore.open(at: folder.store)
        #expect(try await store.friends() == [])
        await store.close()
    }
}
