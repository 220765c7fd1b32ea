import BLE
import BLEDBus
import BLELocking
import MagicEightBall

/// Asks a ball as the original app does, over the plain pair; nothing of the SDK is in it.
struct OriginalAsker: Asker {
    let name: String
    let radio: CountedRadio
    /// The ball's name.
    let ball: String

    func ask(_ questions: [(kind: QuestionKind, text: String)], _ scene: Scene) async {
        var questions = questions[...]
        while !questions.isEmpty {
            do {
                let link = try await connect(scene)
                await ask(&questions, over: link, scene)
                await link.disconnect()
            } catch {
                let reason = (error as? RadioError)?.code.description ?? "\(error)"
                scene.tally.change { $0.withoutBall["radio: \(reason)", default: 0] += 1 }
                await scene.pause(for: .seconds(5))
            }
        }
    }

    /// A link on which answers are told.
    private func connect(_ scene: Scene) async throws -> any Link {
        let peer = try await withTimeLimit(.seconds(10), on: scene.clock) { [radio, ball] in
            for try await event in try await radio.scan(ScanFilter(name: ball)) {
                if case .seen(let sighting) = event { return sighting.peer }
            }
            throw CancellationError()
        }
        guard let peer else { throw RadioError(.unknownPeer, "'\(ball)' is not heard") }
        let link = try await withTimeLimit(.seconds(20), on: scene.clock) { [radio] in
            try await radio.connect(to: peer)
        }
        guard let link else { throw RadioError(.failed, "no link to '\(ball)' came about") }
        do {
            _ = try await link.discoverServices()
            try await link.subscribe(to: OriginalBall.answer)
        } catch {
            await link.disconnect()
            throw error
        }
        return link
    }

    /// Asks until all are asked, or one stays without an answer: a late one must not be taken for the
    /// next one's.
    private func ask(
        _ questions: inout ArraySlice<(kind: QuestionKind, text: String)>,
        over link: any Link,
        _ scene: Scene
    ) async {
        let inbox = Inbox()
        let reading = Task {
            for await event in link.events {
                if case .notification(OriginalBall.answer, let value) = event { inbox.put(value) }
            }
            inbox.close()
        }
        defer { reading.cancel() }
        var isUsable = true
        while isUsable, let (kind, text) = questions.popFirst() {
            scene.tally.change { $0.asked += 1 }
            do {
                let answers = inbox.open()
                try await link.write(Array(text.utf8), to: OriginalBall.question)
                let limit: Duration = kind == .leaving ? .milliseconds(100) : .seconds(2)
                let answer = try await withTimeLimit(limit, on: scene.clock) {
                    for await value in answers { return String(decoding: value, as: UTF8.self) }
                    throw RadioError(.peerGone, "the link ended")
                }
                isUsable = answer != nil && kind != .leaving
                if answer == nil, kind != .leaving {
                    throw EightBallError(.timedOut(.answering), "no answer within \(limit)")
                }
                scene.tally.end(text, .success(answer))
            } catch {
                isUsable = error is ATTError
                scene.tally.end(text, .failure(error))
            }
        }
    }
}

/// The values that a link tells, for the one question that waits.
private final class Inbox: Sendable {
    private struct State {
        var waiting: AsyncStream<[UInt8]>.Continuation?
        var isClosed = false
    }

    private let state = Locked(State())

    /// What is told from now on.
    func open() -> AsyncStream<[UInt8]> {
        let (values, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        state.withLock { state in
            state.waiting = continuation
            if state.isClosed { continuation.finish() }
        }
        return values
    }

    func put(_ value: [UInt8]) {
        let waiting = state.withLock(\.waiting)
        waiting?.yield(value)
    }

    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiting
        }
        waiting?.finish()
    }
}
