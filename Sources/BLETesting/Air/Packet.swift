internal import BLE

/// What travels over a connection, from one end to the other.
///
/// Source: Core specification, Vol 3, Part F, 3.4.
enum Packet: Sendable {
    case request(Int, ATTRequest)
    case response(Int, Result<ATTResponse, ATTError>)
    /// A write command.
    case command(Target, [UInt8])
    /// A notification, or with a number an indication, which is confirmed by that.
    case value(Target, [UInt8], indication: Int?)
    case confirmation(Target, Int)
    /// The peer has these services from now on.
    case servicesChanged([ServedServices])
    case mtuChanged(Int)
    /// The connection has ended.
    case terminated(RadioError)
}

/// A characteristic of a publication.
struct Target: Hashable, Sendable {
    let publication: Int
    let id: AttributeID
}

/// A request, of which a central has one at a time under way.
enum ATTRequest: Sendable {
    case discover
    case read(Target, offset: Int)
    case write(Target, [UInt8])
    case readDescriptor(Target, BluetoothUUID)
    case writeDescriptor(Target, BluetoothUUID)
    /// A write of the client characteristic configuration.
    case configure(Target, isSubscribed: Bool)

    var target: Target? {
        switch self {
        case .discover: nil
        case .read(let target, _), .write(let target, _), .readDescriptor(let target, _),
            .writeDescriptor(let target, _), .configure(let target, _):
            target
        }
    }
}

/// The reply to a request.
enum ATTResponse: Sendable {
    case services([ServedServices])
    /// A value, or as much of it as fits into a packet.
    case value([UInt8], hasMore: Bool)
    case done
}

/// The services of one publication.
struct ServedServices: Sendable {
    let publication: Int
    let services: [GATTService]
}
