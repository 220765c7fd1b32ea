/// A characteristic that a test's application serves, in the order in which it tells them.
struct AppCharacteristic {
    let name: String
    let uuid: String
    let flags: [String]

    /// `WriteAcquired`, `NotifyAcquired`: what it has sockets for.
    var acquired: [String] = []

    /// What can be done with its descriptor; it has none if that is nothing.
    var descriptorFlags: [String] = []

    /// Whether it and its descriptor have a property for their handles.
    var hasHandles = false
}

extension [AppCharacteristic] {
    /// The original's pair: `char0016` and `char0018` at a central.
    static let ball = [
        AppCharacteristic(name: "question", uuid: UUIDs.question, flags: ["write"]),
        AppCharacteristic(name: "answer", uuid: UUIDs.answer, flags: ["read", "notify"]),
    ]

    /// One characteristic, `char0016` at a central.
    static func one(_ flags: String...) -> [AppCharacteristic] {
        [AppCharacteristic(name: "only", uuid: UUIDs.question, flags: flags)]
    }
}

enum UUIDs {
    static let service = "8e38140a-27be-4090-8955-4fc4b5698d1e"
    static let question = "bdd37d7a-f66a-47b9-a49c-fe29fd235a77"
    static let descriptor = "5d4a9c3e-1f0b-4c58-9a55-0f6f0e5c7b21"
    static let answer = "349a0d7b-6215-4e2c-a095-af078d737445"
    static let own = ["00001800", "00001801", "0000180a"].map {
        $0 + "-0000-1000-8000-00805f9b34fb"
    }
}
