/// What happens to balls and askers each hour, in this order.
enum Disturbance: CaseIterable {
    /// The ball is out of range for a minute.
    case outOfRange
    /// An asker's adapter is off for 20 s.
    case askerOff
    /// The ball's adapter is off for 20 s.
    case ballOff
    /// The original ball's adapter is off for 20 s.
    case originalOff
    /// The ball's adapter is pulled out for 20 s.
    case unplugged
    /// The links to the ball are lost.
    case linkCut
    /// bluetoothd ends, and another one starts after 2 s.
    case restart
}
