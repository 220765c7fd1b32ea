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
    /// What comes to an end of a byte socket, one thing after the other.
    case socket
    /// What comes to an end of a chat, one thing after the other.
    case chat
    /// What a terminal sends, and text that it shows.
    case terminal

    /// What neighbours send to a node of a mesh, one thing after the other; links that users show.
    case relay

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
        case .socket: decodeSocket
        case .chat: decodeChat
        case .terminal: decodeTerminal
        case .relay: decodeRelay
        }
    }
}
