/// What is fed with bytes from outside.
enum Decoder: String, CaseIterable {
    /// Messages as a bus sends them.
    case message
    /// Property sets as bluetoothd tells them.
    case properties
    /// Values as balls and askers send them over the air.
    case wire
    /// What a person writes behind a command's name.
    case arguments

    var decode: @Sendable (UnsafeRawBufferPointer) -> Void {
        switch self {
        case .message: decodeMessage
        case .properties: decodeProperties
        case .wire: decodeWire
        case .arguments: decodeArguments
        }
    }
}
