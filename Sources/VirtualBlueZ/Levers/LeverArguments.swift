internal import BLEDBus

/// What a lever is pulled with, read with a check of each argument.
struct LeverArguments {
    private let values: [Value]

    init(_ values: [Value]) {
        self.values = values
    }

    /// A word.
    func text(_ index: Int) -> String {
        values.indices.contains(index) ? values[index].string ?? "" : ""
    }

    /// A number without a range of its own.
    func number(_ index: Int) -> Int {
        values.indices.contains(index) ? values[index].integer ?? 0 : 0
    }

    /// A number of an adapter, plugged in or not.
    func adapter(_ index: Int) throws(ErrorReply) -> Int {
        let number = number(index)
        guard VirtualDaemon.adapterNumbers.contains(number) else {
            throw .invalidLever("there is no adapter \(number), only 0 to 127 for hci0 to hci127")
        }
        return number
    }

    /// Two adapters that are not the same.
    func pair() throws(ErrorReply) -> (Int, Int) {
        let (adapter, other) = (try adapter(0), try adapter(1))
        guard adapter != other else {
            throw .invalidLever("hci\(adapter) and hci\(other) are the same adapter")
        }
        return (adapter, other)
    }

    /// How often; 0 stands for without an end.
    func times(_ index: Int) -> Int? {
        number(index) == 0 ? nil : number(index)
    }

    /// A time in milliseconds.
    func milliseconds(_ index: Int) -> Duration {
        .milliseconds(number(index))
    }

    /// An interface's name, a dot, a member's.
    func method(_ index: Int) throws(ErrorReply) -> String {
        let text = text(index)
        guard Self.isName(text, ofParts: 3) else {
            throw .invalidLever(
                "\"\(text)\" is no method, as org.bluez.Adapter1.StartDiscovery is one"
            )
        }
        return text
    }

    /// An error's name.
    func errorName(_ index: Int) throws(ErrorReply) -> String {
        let text = text(index)
        guard Self.isName(text, ofParts: 2), text.utf8.count <= 255 else {
            throw .invalidLever("\"\(text)\" is no error, as org.bluez.Error.Failed is one")
        }
        return text
    }

    /// Whether a text has so many parts or more, with dots between them, as names on the bus have.
    private static func isName(_ text: String, ofParts count: Int) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= count
            && parts.allSatisfy { part in
                !part.isEmpty && part.first?.isNumber != true
                    && part.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
            }
    }

    /// How often, once at least.
    func count(_ index: Int) throws(ErrorReply) -> Int {
        guard number(index) > 0 else { throw .invalidLever("0 times is never") }
        return number(index)
    }

    /// How many bytes an MTU has.
    func mtu(_ index: Int) throws(ErrorReply) -> Int {
        guard AttributeLimits.mtus.contains(number(index)) else {
            throw .invalidLever("there is no MTU of \(number(index)), only 23 to 517 bytes")
        }
        return number(index)
    }

    func isOn(_ index: Int) -> Bool {
        values.indices.contains(index) && values[index] == .bool(true)
    }

    /// A number from 0 to 1.
    func probability(_ index: Int) throws(ErrorReply) -> Double {
        guard values.indices.contains(index), case .double(let value) = values[index],
            (0...1).contains(value)
        else { throw .invalidLever("a probability is 0 to 1") }
        return value
    }

    func proximity(_ index: Int) throws(ErrorReply) -> Proximity {
        try Self.proximity(text(index))
    }

    private static func proximity(_ text: String) throws(ErrorReply) -> Proximity {
        if let proximity = Proximity(name: text) { return proximity }
        guard let rssi = Int(text), (-127...20).contains(rssi) else {
            let names = Proximity.names.joined(separator: ", ")
            throw .invalidLever(
                "there is no proximity \"\(text)\", only \(names) and -127 to 20 dBm"
            )
        }
        return Proximity(rssi: rssi)
    }

    /// Steps of a path, `0:near 5000:-80`, the times growing.
    func steps(_ index: Int) throws(ErrorReply) -> [(after: Duration, proximity: Proximity)] {
        var steps: [(after: Duration, proximity: Proximity)] = []
        for word in text(index).split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let time = UInt32(parts[0]),
                steps.last.map({ $0.after <= .milliseconds(Int(time)) }) ?? true
            else {
                throw .invalidLever(
                    "\"\(word)\" is no step: milliseconds that grow, a colon, a proximity"
                )
            }
            steps.append((.milliseconds(Int(time)), try Self.proximity(String(parts[1]))))
        }
        return steps
    }

    /// A UUID, short or long.
    func uuid(_ index: Int) throws(ErrorReply) -> String {
        guard let uuid = BluetoothUUIDText.normalized(text(index)) else {
            throw .invalidLever("\"\(text(index))\" is no UUID")
        }
        return uuid
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
