/// How much is asked of a soak.
struct Plan {
    let questions: Int
    let sightings: Int
    let addresses: Int
    let hours: Int
    let seed: UInt64

    var duration: Duration { .seconds(hours * 3600) }

    /// Something that is due, and when.
    enum Event {
        case disturbance(Disturbance)
        /// The tenth of the time that is over.
        case reading(Int)
    }

    /// What is due, in order.
    var events: [(due: Duration, event: Event)] {
        let hour = Duration.seconds(3600)
        let disturbances = Disturbance.allCases
        let disturbed = (0..<hours).flatMap { number in
            disturbances.enumerated().map { index, disturbance in
                let due = hour * number + hour * (index + 1) / (disturbances.count + 1)
                return (due: due, event: Event.disturbance(disturbance))
            }
        }
        let readings = (1...9).map { (due: duration * $0 / 10, event: Event.reading($0)) }
        return (disturbed + readings).sorted { $0.due < $1.due }
    }
}
