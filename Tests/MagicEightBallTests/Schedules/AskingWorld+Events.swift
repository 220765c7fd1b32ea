import BLETesting
import MagicEightBall

// The stream of events beside the observer.
extension AskingWorld {
    /// The stream has what the observer was told, in the same order, and nothing else.
    func checkEvents() {
        let told = observer.heard
        let reading = Task { [events] in
            for await event in events { self.streamed.append(Self.line(event)) }
        }
        schedule.settle()
        reading.cancel()
        events = AsyncStream { nil }
        schedule.settle()
        guard streamed != told else { return }
        let place = zip(streamed, told).prefix { $0 == $1 }.count
        schedule.fault(
            "event \(place) of \(streamed.count) in the stream, of \(told.count) told: "
                + "\(streamed.dropFirst(place).first ?? "-"), told \(told.dropFirst(place).first ?? "-")"
        )
    }

    /// The event as the observer writes it down.
    private static func line(_ event: CentralEvent) -> String {
        switch event {
        case .radioBecame(let state): "radio \(state)"
        case .discovered(let ball): "discovered \(ball.id)"
        case .changed(let ball): "changed \(ball.id)"
        case .lost(let ball): "lost \(ball.id)"
        case .connected(let ball): "connected \(ball.id)"
        case .disconnected(let ball, let error):
            "disconnected \(ball.id)" + (error.map { ": \($0.code)" } ?? "")
        case .asked(let question, let ball): "asked \(ball.id) \(question)"
        case .answered(let question, let answer, let ball):
            "answered \(ball.id) \(question) \(answer)"
        case .failedToAsk(let question, let ball, let error):
            "failed \(ball.id) \(question) \(error.code)\(error.detail)"
        case .failed(let error): "failed \(error.code)\(error.detail)"
        }
    }
}
