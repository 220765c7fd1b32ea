import BLEDBus

/// How a message from the daemon stands in a trace: one line, without what every line has.
enum TraceText {
    static func signal(_ signal: Message) -> String? {
        guard let body = try? signal.body(), let member = signal.member else { return nil }
        switch member {
        case "PropertiesChanged":
            let changes = (body[1].properties ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key)=\(text($0.value))" }
            let gone = (body[2].strings ?? []).map { "-\($0)" }
            let words = [path(signal.path), short(body[0].string)] + changes + gone
            return words.joined(separator: " ")
        case "InterfacesAdded":
            let names = (body[1].entries ?? []).compactMap(\.key.string).filter(isOfBlueZ)
            return (["+", path(body[0].objectPath)] + names.map(short)).joined(separator: " ")
        case "InterfacesRemoved":
            let names = (body[1].strings ?? []).filter(isOfBlueZ)
            return (["-", path(body[0].objectPath)] + names.map(short)).joined(separator: " ")
        case "Disconnected":
            let words = [path(signal.path), short(signal.interface), "Disconnected"]
            return (words + [short(body[0].string)]).joined(separator: " ")
        default:
            return nil
        }
    }

    static func path(_ path: ObjectPath?) -> String {
        let text = path?.rawValue ?? ""
        return text.hasPrefix("/org/bluez/") ? String(text.dropFirst("/org/bluez/".count)) : text
    }

    static func text(_ value: Value) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .string(let value): value
        case .bytes(let value): String(decoding: value, as: UTF8.self)
        case .objectPath(let value): path(value)
        case .array(_, let values): "[" + values.map(text).joined(separator: " ") + "]"
        case let value: value.integer.map(String.init) ?? "\(value)"
        }
    }

    private static func short(_ interface: String?) -> String {
        String(interface?.split(separator: ".").last ?? "")
    }

    private static func isOfBlueZ(_ interface: String) -> Bool {
        interface.hasPrefix("org.bluez.")
    }
}
