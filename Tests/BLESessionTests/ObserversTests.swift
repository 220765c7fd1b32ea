import Testing

@testable import BLESession

@Suite(.timeLimit(.minutes(10)))
struct ObserversTests {
    private final class Ear: Sendable {
        let heard = Feed<String>()
    }

    private let observers = Observers<Ear>()

    private func tell(_ line: String) {
        observers.call { $0.heard.continuation.yield(line) }
    }

    @Test("Each observer gets each call once, in order")
    func order() async {
        let ears = [Ear(), Ear()]
        for ear in ears { await observers.add(ear) }
        await observers.add(ears[0])
        for number in 1...100 { tell("\(number)") }
        for ear in ears {
            for number in 1...100 { #expect(await ear.heard.next() == "\(number)") }
        }
    }

    @Test("An observer gets no calls that were added before it was")
    func late() async {
        let blocked = Feed<Void>()
        let early = Ear()
        await observers.add(early)
        observers.call { _ in _ = await blocked.next() }
        tell("before")
        let late = Ear()
        await observers.add(late)
        tell("after")
        blocked.continuation.yield()
        #expect(await early.heard.next() == "before")
        #expect(await early.heard.next() == "after")
        #expect(await late.heard.next() == "after")
    }

    @Test("An observer that was removed, and is added again, gets no calls of before that")
    func addedAgain() async {
        let blocked = Feed<Void>()
        let first = Ear()
        await observers.add(first)
        observers.call { _ in _ = await blocked.next() }
        let ear = Ear()
        await observers.add(ear)
        tell("before it was removed")
        await observers.remove(ear)
        tell("while it was gone")
        await observers.add(ear)
        tell("after")
        blocked.continuation.yield()
        #expect(await ear.heard.next() == "after")
    }

    @Test("An observer that is removed inside a callback is not called any more")
    func removedInside() async {
        let first = Ear()
        let second = Ear()
        await observers.add(first)
        await observers.add(second)
        observers.call { [observers] ear in
            ear.heard.continuation.yield("one")
            await observers.remove(second)
        }
        tell("two")
        #expect(await first.heard.next() == "one")
        #expect(await first.heard.next() == "two")
        #expect(await !observers.contains(second))
        second.heard.continuation.yield("nothing")
        #expect(await second.heard.next() == "nothing")
    }

    @Test("An observer that is added inside a callback gets the next call")
    func addedInside() async {
        let first = Ear()
        let second = Ear()
        await observers.add(first)
        observers.call { [observers] ear in
            await observers.add(second)
            ear.heard.continuation.yield("added")
        }
        #expect(await first.heard.next() == "added")
        tell("next")
        #expect(await second.heard.next() == "next")
    }

    @Test("Observers are held weakly")
    func weakly() async {
        var ear: Ear? = Ear()
        let remaining = { [weak ear] in ear }
        if let ear { await observers.add(ear) }
        ear = nil
        #expect(remaining() == nil)
        let other = Ear()
        await observers.add(other)
        tell("still")
        #expect(await other.heard.next() == "still")
    }

    @Test("An observer that takes too long is told how many calls were dropped")
    func slowObserver() async {
        let observers = Observers<Ear>()
        let blocked = Feed<Void>()
        let begun = Feed<Void>()
        let ear = Ear()
        await observers.add(ear) { ear, count in ear.heard.continuation.yield("dropped \(count)") }
        observers.call { _ in
            begun.continuation.yield()
            _ = await blocked.next()
        }
        _ = await begun.next()
        let limit = Observers<Ear>.maximumCount
        for number in 1...limit + 7 { observers.call { $0.heard.continuation.yield("\(number)") } }
        blocked.continuation.yield()
        for number in 1...limit { #expect(await ear.heard.next() == "\(number)") }
        #expect(await ear.heard.next() == "dropped 7")
        observers.call { $0.heard.continuation.yield("again") }
        #expect(await ear.heard.next() == "again")
    }
}
