internal import FoundationEssentials

// A packet on the air: one object of JSON.
//
// Source: Docs/Wire.md, dIM.
extension RelayPacket {
    /// How many bytes a packet has at most: the longest value of an attribute.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.2.9.
    public static let maximumByteCount = 512

    /// Reads a packet of either generation.
    ///
    /// - Parameter bytes: one object of JSON in UTF-8; members that it does not know are passed over.
    /// - Throws: ``MalformedPacket``; also for an object that has a member twice, of which readers take one or the other.
    public init(_ bytes: [UInt8]) throws(MalformedPacket) {
        guard bytes.count <= Self.maximumByteCount else {
            throw MalformedPacket("it has \(bytes.count) bytes, more than an attribute")
        }
        // A decoder of JSON reads UTF-16 and UTF-32, too: those have zeros.
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
            throw MalformedPacket("it is not UTF-8")
        }
        let members: Members
        do {
            members = try JSONDecoder().decode(Members.self, from: Data(bytes))
        } catch {
            throw MalformedPacket("it is not one object of JSON with all members: \(error)")
        }
        let names = Self.names(in: bytes)
        guard Set(names).count == names.count else {
            throw MalformedPacket("it has a member twice")
        }
        guard members.id >= 0 else { throw MalformedPacket("its id is \(members.id)") }
        guard let number = members.kind ?? members.type else {
            throw MalformedPacket("it has neither kind nor type")
        }
        if let type = members.type, type != number {
            throw MalformedPacket("its kind is \(number) and its type is \(type)")
        }
        guard let kind = Kind(rawValue: number) else {
            throw MalformedPacket("its kind is \(number)")
        }
        self.init(
            id: members.id,
            kind: kind,
            sender: members.sender,
            receiver: members.receiver,
            text: members.text
        )
    }

    /// The packet, as one object of JSON.
    ///
    /// - Parameter generation: which apps can read it.
    /// - Returns: the bytes; perhaps more than ``maximumByteCount``.
    public func encoded(for generation: RelayGeneration) -> [UInt8] {
        let members = Members(
            id: id,
            kind: generation == .first ? nil : kind.rawValue,
            type: generation == .second ? nil : kind.rawValue,
            sender: sender,
            receiver: receiver,
            text: text
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(members) else {
            preconditionFailure("strings and numbers can always be written")
        }
        return Array(data)
    }

    /// A packet of one generation as apps of both read it: with the number of its kind under the other key, too.
    ///
    /// All else stays as it came, also what nobody here knows.
    ///
    /// - Parameter bytes: a packet.
    /// - Returns: the bytes; `nil` when it has both keys already, or is no packet.
    static func bridged(_ bytes: [UInt8]) -> [UInt8]? {
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(bytes)),
            let number = members.kind ?? members.type,
            let brace = bytes.firstIndex(of: UInt8(ascii: "{"))
        else { return nil }
        let key = members.kind == nil ? "kind" : "type"
        // One may also be there without a value.
        guard !names(in: bytes).contains(key) else { return nil }
        return bytes[...brace] + Array("\"\(key)\":\(number),".utf8) + bytes[(brace + 1)...]
    }

    /// How many bytes of UTF-8 a message's text may have to fit a notification.
    ///
    /// Apps of the first generation that send it on write `\/` for each `/`, which may make it one or two bytes longer.
    ///
    /// - Parameters:
    ///   - byteCount: what a notification carries: the MTU - 3.
    ///   - sender: whose message it is.
    ///   - receiver: to whom.
    ///   - generation: which apps are to read it.
    /// - Returns: how many; 0 when not even one does.
    public static func maximumTextByteCount(
        inNotificationOf byteCount: Int,
        from sender: RelayAddress,
        to receiver: RelayAddress,
        for generation: RelayGeneration
    ) -> Int {
        let empty = RelayPacket(
            id: .max,
            kind: .message,
            sender: sender.text,
            receiver: receiver.text,
            text: ""
        )
        let room = min(byteCount, maximumByteCount) - empty.encoded(for: generation).count
        return max(0, room / 4 * 3 - PairKey.overheadByteCount)
    }

    /// The names of the members of an object that a decoder has taken, each as often as it is there.
    private static func names(in object: [UInt8]) -> [String] {
        var names: [String] = []
        var depth = 0
        var string: ArraySlice<UInt8> = []
        var index = 0
        while index < object.count {
            switch object[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":") where depth == 1: names.append(text(of: string))
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                while index < object.count, object[index] != UInt8(ascii: "\"") {
                    index += object[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                string = object[start..<min(index, object.count)]
            default: break
            }
            index += 1
        }
        return names
    }

    /// What a string of JSON says, without its quotation marks.
    private static func text(of string: ArraySlice<UInt8>) -> String {
        let text = String(decoding: string, as: UTF8.self)
        guard string.contains(UInt8(ascii: "\\")) else { return text }
        let texts = try? JSONDecoder().decode([String].self, from: Data("[\"\(text)\"]".utf8))
        return texts?.first ?? text
    }

    private struct Members: Codable {
        let id: Int32
        let kind: Int?
        let type: Int?
        let sender: String
        let receiver: String
        let text: String
    }
}

/// What a neighbour has sent is no packet.
public struct MalformedPacket: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
