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
    /// What a daemon tells of its objects, one thing after the other.
    case mirror
    /// What happens to a question, one thing after the other.
    case exchange
    /// Names, paths, signatures, and rules with them.
    case names
    /// An application's objects as a virtual BlueZ reads them.
    case application

    var decode: @Sendable (UnsafeRawBufferPointer) -> Void {
        switch self {
        case .message: decodeMessage
        case .properties: decodeProperties
        case .wire: decodeWire
        case .arguments: decodeArguments
        case .mirror: decodeMirror
        case .exchange: decodeExchange
        case .names: decodeNames
        case .application: decodeApplication
        }
    }
}
