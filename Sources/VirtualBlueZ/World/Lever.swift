internal import DBus

/// What can be done to the adapters from outside.
enum Lever {
    case unplug(Int)
    case plug(Int)
    case powerOff(Int)
    case powerOn(Int)
    case disconnect(Int, Int)
    case setProximity(Int, Int, Proximity)

    /// The methods that pull one, with their arguments.
    static let methods: [(name: String, arguments: [(String, Signature)])] = [
        ("Unplug", [("adapter", "u")]),
        ("Plug", [("adapter", "u")]),
        ("PowerOff", [("adapter", "u")]),
        ("PowerOn", [("adapter", "u")]),
        ("Disconnect", [("adapter", "u"), ("other", "u")]),
        ("SetProximity", [("adapter", "u"), ("other", "u"), ("proximity", "s")]),
    ]

    /// Reads a call of one of these methods; the types of its arguments have been checked.
    ///
    /// - Throws: `VirtualBlueZ.Error.InvalidArguments`.
    init(_ method: String, _ arguments: [Value]) throws(ErrorReply) {
        let numbers = arguments.compactMap(\.integer)
        for number in numbers where !VirtualDaemon.adapterNumbers.contains(number) {
            throw .invalidLever("there is no adapter \(number), only 0 to 15 for hci0 to hci15")
        }
        switch (method, numbers.first, numbers.last) {
        case ("Unplug", let adapter?, _): self = .unplug(adapter)
        case ("Plug", let adapter?, _): self = .plug(adapter)
        case ("PowerOff", let adapter?, _): self = .powerOff(adapter)
        case ("PowerOn", let adapter?, _): self = .powerOn(adapter)
        case (_, let adapter?, let other?) where adapter == other:
            throw .invalidLever("hci\(adapter) and hci\(other) are the same adapter")
        case ("Disconnect", let adapter?, let other?): self = .disconnect(adapter, other)
        case ("SetProximity", let adapter?, let other?):
            let name = arguments.last?.string ?? ""
            guard let proximity = Proximity(name: name) else {
                let names = Proximity.names.joined(separator: ", ")
                throw .invalidLever("there is no proximity \"\(name)\", only \(names)")
            }
            self = .setProximity(adapter, other, proximity)
        default:
            throw .invalidLever("\(method) is no lever")
        }
    }
}

extension ErrorReply {
    static func invalidLever(_ text: String) -> ErrorReply {
        ErrorReply(ErrorName(rawValue: "VirtualBlueZ.Error.InvalidArguments"), text)
    }

    static func leverFailed(_ text: String) -> ErrorReply {
        ErrorReply(ErrorName(rawValue: "VirtualBlueZ.Error.Failed"), text)
    }
}
