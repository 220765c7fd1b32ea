import Testing

@testable import MagicEightBall

@Suite(.timeLimit(.minutes(3)))
struct ObserversTests {
    private final class Ear: Sendable {
        let heard = Feed<String>()
    }

    private let observers = Observers<Ear>()

    private func tell(_ line: String) {
        observers.tell { $0.heard.continuation.yield(line) }
    }

    @Test("All hear each happening once, in order")
    func order() async {
        let ears = [Ear(), Ear()]
        for ear in ears { await observers.add(ear) }
        await observers.add(ears[0])
        for number in 1...100 { tell("\(number)") }
        for ear in ears {
            for number in 1...100 { #expect(await ear.heard.next() == "\(number)") }
        }
    }

    @Test("What happened before an observer came, it doesn't hear")
    func late() async {
        let blocked = Feed<Void>()
        let early = Ear()
        await observers.add(early)
        observers.tell { _ in _ = await blocked.next() }
        tell("before")
        let late = Ear()
        await observers.add(late)
        tell("after")
        blocked.continuation.yield()
        #expect(await early.heard.next() == "before")
        #expect(await early.heard.next() == "after")
        #expect(await late.heard.next() == "after")
    }

    @Test("An observer that is removed inside a callback hears no more of that happening")
    func removedInside() async {
        let first = Ear()
        let second = Ear()
        await observers.add(first)
        await observers.add(second)
        observers.tell { [observers] ear in
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

    @Test("An observer that is added inside a callback hears the next happening")
    func addedInside() async {
        let first = Ear()
        let second = Ear()
        await observers.add(first)
        observers.tell { [observers] ear in
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
}
