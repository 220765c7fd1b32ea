/// What can be done with a characteristic or a descriptor, in BlueZ's words.
///
/// Source: BlueZ, doc/gatt-api.txt, "Flags".
struct CharacteristicFlags: Hashable {
    /// What the server's application has said.
    let names: Set<String>

    /// - Returns: `nil` for none at all, or when there is a word that BlueZ doesn't know.
    init?(_ names: [String]) {
        guard !names.isEmpty, names.allSatisfy(Self.known.contains) else { return nil }
        self.names = Set(names)
    }

    /// What can be done with a descriptor: less than with a characteristic.
    ///
    /// Source: BlueZ, src/gatt-database.c, `parse_desc_flags`.
    ///
    /// - Returns: `nil` for none at all, or when there is a word that BlueZ doesn't know for descriptors.
    init?(ofDescriptor names: [String]) {
        guard names.allSatisfy(Self.knownOfDescriptors.contains) else { return nil }
        self.init(names)
    }

    private init(known names: Set<String>) {
        self.names = names
    }

    static let read = CharacteristicFlags(known: ["read"])
    static let readWrite = CharacteristicFlags(known: ["read", "write"])
    static let indicate = CharacteristicFlags(known: ["indicate"])

    var canNotify: Bool { !names.isDisjoint(with: Self.notifying) }
    var hasNotify: Bool { names.contains("notify") }
    var hasWriteWithoutResponse: Bool { names.contains("write-without-response") }
    var hasWrite: Bool { discovered.contains("write") }
    var hasReliableWrite: Bool { names.contains("reliable-write") }

    var isReadable: Bool { discovered.contains("read") }
    var isWritable: Bool { hasWrite || hasWriteWithoutResponse || hasReliableWrite }

    var encryptsReads: Bool { !names.isDisjoint(with: Self.variants(of: "read")) }
    var encryptsWrites: Bool { !names.isDisjoint(with: Self.variants(of: "write")) }

    /// The bits of Characteristic Extended Properties, a descriptor that is there if there are any.
    ///
    /// Source: Bluetooth Core specification, Vol 3, Part G, 3.3.3.1.
    var extendedProperties: UInt8 {
        (hasReliableWrite ? 0x01 : 0) | (names.contains("writable-auxiliaries") ? 0x02 : 0)
    }

    /// What a central finds on the air, in the order in which BlueZ tells it.
    var discovered: [String] {
        Self.onAir.filter { flag in
            names.contains(flag) || !names.isDisjoint(with: Self.variants(of: flag))
                || flag == "extended-properties" && extendedProperties != 0
        }
    }

    private static let notifying: Set = ["notify", "indicate"]

    private static let onAir = [
        "broadcast", "read", "write-without-response", "write", "notify", "indicate",
        "authenticated-signed-writes", "extended-properties", "reliable-write",
        "writable-auxiliaries",
    ]

    private static func variants(of flag: String) -> Set<String> {
        ["encrypt-" + flag, "encrypt-authenticated-" + flag, "secure-" + flag]
    }

    private static let knownOfDescriptors = Set(["read", "write", "authorize"])
        .union(["read", "write"].flatMap(variants))

    private static let known = Set(onAir)
        .union(["read", "write", "notify", "indicate"].flatMap(variants))
        .union(["authorize"])
}
