import BLE
import BLETesting

@testable import MagicEightBall

/// What the SDK wants of a schedule's radio, until the radio replies.
struct ScheduledRequest: Sendable {
    enum Kind: Sendable {
        case scan, connect(PeerID), resolve(ScheduledLink), disconnect(ScheduledLink)
        case subscribe(ScheduledLink, AttributeID), unsubscribe(ScheduledLink, AttributeID)
        case write(ScheduledLink, [UInt8], AttributeID), read(ScheduledLink, AttributeID)
    }

    let number: Int
    let kind: Kind

    /// The link over which it goes; `nil` for one that makes a link, or a scan.
    var link: ScheduledLink? {
        switch kind {
        case .scan, .connect: nil
        case .resolve(let link), .disconnect(let link), .subscribe(let link, _),
            .unsubscribe(let link, _), .write(let link, _, _), .read(let link, _):
            link
        }
    }

    var name: String {
        switch kind {
        case .scan: "scan"
        case .connect(let peer): "connect \(peer)"
        case .resolve(let link): "resolve \(link)"
        case .disconnect(let link): "disconnect \(link)"
        case .subscribe(let link, let attribute): "subscribe \(link) \(Self.name(attribute))"
        case .unsubscribe(let link, let attribute): "unsubscribe \(link) \(Self.name(attribute))"
        case .write(let link, _, let attribute): "write \(link) \(Self.name(attribute))"
        case .read(let link, let attribute): "read \(link) \(Self.name(attribute))"
        }
    }

    private static func name(_ attribute: AttributeID) -> String {
        switch attribute {
        case EightBallService.question: "Question"
        case EightBallService.answer: "Answer"
        case EightBallService.privateQuestion: "Private Question"
        case EightBallService.reply: "Reply"
        default: "\(attribute)"
        }
    }
}
