internal import BLE

/// The service of BlueChat: names and bytes.
///
/// Source: Docs/Wire.md, BlueChat.
enum ChatService {
    /// The service.
    static let uuid: BluetoothUUID = "920D5470-95D8-4289-8BF3-504058B0BCB1"

    /// Where a caller writes texts.
    static let toCallee = AttributeID(
        service: uuid,
        characteristic: "920D5471-95D8-4289-8BF3-504058B0BCB1"
    )

    /// Where texts are indicated to the caller.
    static let toCaller = AttributeID(
        service: uuid,
        characteristic: "920D5472-95D8-4289-8BF3-504058B0BCB1"
    )

    /// Where the caller is asked to end the connection.
    static let leaving = AttributeID(
        service: uuid,
        characteristic: "920D5473-95D8-4289-8BF3-504058B0BCB1"
    )

    /// What is indicated there; an original reads nothing of it.
    static let leave: [UInt8] = [0x01]

    /// Where others of this library write values of their sessions.
    static let fromCaller = AttributeID(
        service: uuid,
        characteristic: "920D5474-95D8-4289-8BF3-504058B0BCB1"
    )

    /// Where others of this library read values of their sessions.
    static let fromCallee = AttributeID(
        service: uuid,
        characteristic: "920D5475-95D8-4289-8BF3-504058B0BCB1"
    )

    /// What is notified there when there is something to read.
    static let news: [UInt8] = [0x01]

    /// What is published, in the order of the original.
    ///
    /// - Parameter hasSessions: whether others of this library have more.
    /// - Returns: the service.
    static func description(hasSessions: Bool) -> GATTService {
        let original = [
            GATTCharacteristic(uuid: toCallee.characteristic, properties: .write),
            GATTCharacteristic(uuid: toCaller.characteristic, properties: [.read, .indicate]),
            GATTCharacteristic(uuid: leaving.characteristic, properties: [.read, .indicate]),
        ]
        let ours = [
            GATTCharacteristic(uuid: fromCaller.characteristic, properties: .write),
            GATTCharacteristic(uuid: fromCallee.characteristic, properties: [.read, .notify]),
        ]
        return GATTService(uuid: uuid, characteristics: original + (hasSessions ? ours : []))
    }

    /// Whether a callee has sessions.
    static func hasSessions(_ services: [GATTService]) -> Bool {
        services[fromCaller]?.properties.contains(.write) == true
            && services[fromCallee]?.properties.isSuperset(of: [.read, .notify]) == true
    }

    /// Whether a device that has these services can be called.
    static func isCallee(_ services: [GATTService]) -> Bool { missing(in: services) == nil }

    /// What a caller needs of a callee's services, and is missing there; `nil` when all is there.
    static func missing(in services: [GATTService]) -> AttributeID? {
        let needed: [(AttributeID, CharacteristicProperties)] = [
            (toCallee, .write), (toCaller, .indicate), (leaving, .indicate),
        ]
        return needed.first { id, properties in
            services[id]?.properties.isSuperset(of: properties) != true
        }?.0
    }
}
