/// A descriptor to publish, or one that was discovered.
///
/// What a system makes by itself is not published: the client characteristic configuration (0x2902)
/// comes with ``CharacteristicProperties/notify`` and ``CharacteristicProperties/indicate``.
public struct GATTDescriptor: Hashable, Sendable {
    /// The UUID.
    public let uuid: BluetoothUUID

    /// The value that a published descriptor has for each central that reads it; empty for one that
    /// was discovered.
    public let value: [UInt8]

    /// Creates a descriptor.
    ///
    /// - Parameters:
    ///   - uuid: the UUID.
    ///   - value: what centrals read, 0 to 512 bytes.
    public init(uuid: BluetoothUUID, value: [UInt8] = []) {
        self.uuid = uuid
        self.value = value
    }

    /// Characteristic User Description (0x2901): a text for people.
    ///
    /// - Parameter text: the text, at most 512 bytes of UTF-8.
    /// - Returns: the descriptor.
    public static func userDescription(_ text: String) -> GATTDescriptor {
        GATTDescriptor(uuid: "2901", value: Array(text.utf8))
    }
}

extension GATTDescriptor: CustomStringConvertible {
    /// The UUID.
    public var description: String { uuid.description }
}
