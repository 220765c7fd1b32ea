/// What outlives a daemon: the controllers, what blocks them, who receives whom, and the links.
struct RadioWorld: Sendable {
    /// A controller that is plugged in.
    struct Controller {
        /// The number in its name, 5 for `hci5`; mostly its own.
        let nameNumber: Int
        var isPowered: Bool
    }

    /// By the numbers of their addresses.
    private(set) var controllers: [Int: Controller] = [:]

    /// The controllers that rfkill blocks, plugged in or not.
    var blocked: Set<Int> = []

    var air: Air
    var links = Links()

    /// Makes a world of controllers that are on.
    init(controllers count: Int, seed: UInt64) {
        air = Air(seed: seed)
        for number in 0..<count {
            controllers[number] = Controller(nameNumber: number, isPowered: true)
        }
    }

    /// Plugs a controller in; it is off.
    mutating func plug(_ number: Int, as nameNumber: Int) {
        controllers[number] = Controller(nameNumber: nameNumber, isPowered: false)
    }

    mutating func unplug(_ number: Int) {
        controllers[number] = nil
    }

    /// Whether a controller is plugged in and on.
    func isPowered(_ number: Int) -> Bool { controllers[number]?.isPowered == true }

    mutating func setPower(of number: Int, _ isOn: Bool) {
        controllers[number]?.isPowered = isOn
    }

    /// The controller that has a number in its name.
    func controller(named nameNumber: Int) -> Int? {
        controllers.first { $0.value.nameNumber == nameNumber }?.key
    }

    // MARK: - Packets

    /// What becomes of a packet of a link.
    enum Passage: Equatable {
        /// It arrives at once.
        case arrives
        /// It arrives at a time, if the link is still the same.
        case arrivesLater(Duration, link: Int)
        /// It was lost until the supervision time-out was over.
        case isLost
    }

    /// Sends a packet over the link between two controllers.
    ///
    /// One that is lost is sent again an interval later; none overtakes another.
    ///
    /// - Parameters:
    ///   - sender: who sends it.
    ///   - receiver: the other end of the link.
    ///   - now: when it is sent.
    ///   - timing: how long intervals and the supervision time-out are.
    /// - Returns: what becomes of it; it is lost without a link.
    mutating func send(
        from sender: Int,
        to receiver: Int,
        at now: Duration,
        _ timing: Timing
    ) -> Passage {
        guard let link = links[sender, receiver] else { return .isLost }
        let quality = air.quality(between: sender, and: receiver)
        let isQueued = link.isSending(from: sender)
        guard quality != .perfect || isQueued else { return .arrives }
        let interval = max(timing.connectionInterval, .milliseconds(1))
        let limit = Int(timing.supervision / interval) + 1
        let losses = air.losses(from: sender, to: receiver, atMost: limit)
        guard losses < limit else { return .isLost }
        let delay = quality.delay + interval * losses
        guard delay > .zero || isQueued,
            let arrival = links[sender, receiver]?.send(from: sender, arrivingAt: now + delay)
        else { return .arrives }
        return .arrivesLater(arrival, link: link.number)
    }

    /// Takes note that a packet has arrived.
    ///
    /// - Returns: whether the link over which it was sent is still there.
    mutating func packetArrived(from sender: Int, to receiver: Int, over number: Int) -> Bool {
        guard links[sender, receiver]?.number == number else { return false }
        links[sender, receiver]?.packetArrived(from: sender)
        return true
    }
}
