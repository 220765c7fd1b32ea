internal import BLE

/// The service of a ball: names and bytes.
///
/// Source: Docs/Wire.md.
enum EightBallService {
    /// The service.
    static let uuid: BluetoothUUID = "8E38140A-27BE-4090-8955-4FC4B5698D1E"

    /// Where a question is written.
    ///
    /// It takes writes without response only where a ball is told to, as those cannot be refused.
    static let question = AttributeID(
        service: uuid,
        characteristic: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
    )

    /// Where the answer is notified and read.
    static let answer = AttributeID(
        service: uuid,
        characteristic: "349A0D7B-6215-4E2C-A095-AF078D737445"
    )

    /// Where a question is written whose answer only its asker may read.
    static let privateQuestion = AttributeID(
        service: uuid,
        characteristic: "544DCF2D-80B8-443D-8ECF-24148A54E30C"
    )

    /// Where it is notified that such an answer is ready, and where its asker reads it.
    static let reply = AttributeID(
        service: uuid,
        characteristic: "81D7C03F-CD6C-42E3-A494-A1800CFA129D"
    )

    /// What a ball publishes.
    static let description = description(question: .write)

    /// What a ball publishes that also apps of the original's first series can ask: they write without a
    /// response, to a characteristic that declares it.
    static let firstSeriesDescription = description(question: [.write, .writeWithoutResponse])

    private static func description(question properties: CharacteristicProperties) -> GATTService {
        GATTService(
            uuid: uuid,
            characteristics: [
                GATTCharacteristic(uuid: question.characteristic, properties: properties),
                GATTCharacteristic(uuid: answer.characteristic, properties: [.read, .notify]),
                GATTCharacteristic(uuid: privateQuestion.characteristic, properties: .write),
                GATTCharacteristic(uuid: reply.characteristic, properties: [.read, .notify]),
            ]
        )
    }

    /// Whether a device that has these services can be asked.
    static func takesQuestions(_ services: [GATTService]) -> Bool {
        services[question] != nil && services[answer] != nil
    }

    /// How a ball with these services takes a question: those of the original's first series take no write
    /// request.
    static func questionWriteKind(_ services: [GATTService]) -> WriteKind {
        let properties = services[question]?.properties ?? .write
        let isFirstSeries =
            properties.contains(.writeWithoutResponse) && !properties.contains(.write)
        return isFirstSeries ? .withoutResponse : .withResponse
    }

    /// The text in a value.
    ///
    /// - Returns: `nil` when there are no bytes, or when they are not UTF-8.
    static func text(_ value: [UInt8]) -> String? {
        value.isEmpty ? nil : String(validating: value, as: UTF8.self)
    }

    /// The most bytes that one write request carries.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.4.5.1.
    static func writeByteCount(mtuBytes: Int) -> Int { mtuBytes - 3 }

    /// An answer as it is notified, cut to one packet.
    ///
    /// A notification carries 3 bytes less than the MTU, and between two BlueZ 5 bytes less; what
    /// is longer would be cut anywhere, without an error.
    static func notification(_ answer: Answer, mtuBytes: Int) -> [UInt8] {
        Array(cut(answer.wireText, toByteCount: mtuBytes - 5).utf8)
    }

    /// A text, cut at a character's border if it is too long, with `…` at its end.
    static func cut(_ text: String, toByteCount limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let mark = "…"
        var cut = ""
        for character in text {
            guard cut.utf8.count + character.utf8.count + mark.utf8.count <= limit else { break }
            cut.append(character)
        }
        return cut + mark
    }
}
