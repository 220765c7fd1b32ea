@testable import BLETerminal
import Glibc
import Testing

/// One at a time, as a process has one set of signals.
@Suite("Signals", .serialized, .timeLimit(.minutes(10)))
struct SignalCatcherTests {
    /// The next signal; `nil` when none came for a minute.
    private func next(_ catcher: borrowing SignalCatcher) -> Int32? {
        var ready = pollfd(fd: catcher.bell.reading, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 60_000) < 0 {}
        return catcher.next()
    }

    private func handler(of number: Int32) -> Int {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }

    @Test func `come one after the other`() throws {
        let catcher = try SignalCatcher()
        for number in [SIGWINCH, SIGCONT, SIGWINCH] {
            kill(getpid(), number)
            #expect(next(catcher) == number)
        }
        #expect(catcher.next() == nil)
    }

    @Test func `are for one session`() throws {
        let catcher = try SignalCatcher()
        #expect {
            _ = try SignalCatcher()
        } throws: {
            ($0 as? TerminalError)?.code == .inUse
        }
        #expect(catcher.next() == nil)
    }

    @Test func `are what they were afterwards`() throws {
        let before = [SIGINT, SIGQUIT, SIGTERM, SIGTSTP].map(handler)
        do {
            let catcher = try SignalCatcher()
            #expect(catcher.next() == nil)
            #expect([SIGINT, SIGQUIT, SIGTERM, SIGTSTP].map(handler) != before)
        }
        #expect([SIGINT, SIGQUIT, SIGTERM, SIGTSTP].map(handler) == before)
    }

    @Test func `end a program that was told to end, but for another hang-up`() throws {
        let before = handler(of: SIGTERM)
        var catcher = try SignalCatcher()
        catcher.letThrough()
        #expect(handler(of: SIGTERM) == before)
        kill(getpid(), SIGHUP)
        #expect(next(catcher) == SIGHUP)
    }
}
