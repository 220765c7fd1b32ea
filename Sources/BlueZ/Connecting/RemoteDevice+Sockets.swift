internal import BLE
internal import DBus

/// Exclusive access to characteristics, through sockets of bluetoothd.
extension RemoteDevice {
    /// A socket of a link.
    struct Acquired {
        let lease: Int
        let path: ObjectPath
        let socket: PacketSocket
        /// Whether its characteristic is notified through it.
        let isNotifying: Bool
    }

    func acquireWriter(
        for characteristic: AttributeID,
        by lease: Int
    ) async throws -> RemoteWriter {
        try checkUp(lease)
        let object = GattCharacteristic1(path: try path(of: characteristic))
        guard remote.properties(at: object.path).contains(.writeWithoutResponse) else {
            throw RadioError(
                .unsupported,
                "acquiring \(characteristic) of \(peer): it takes no writes without a response"
            )
        }
        let (socket, mtuBytes) = try await acquire(object.acquireWrite, characteristic, lease)
        return RemoteWriter(
            socket,
            of: characteristic,
            maximumByteCount: min(mtuBytes - 3, maximumWriteByteCount(.withoutResponse)),
            over: self,
            by: lease
        )
    }

    func acquireReader(
        for characteristic: AttributeID,
        by lease: Int
    ) async throws -> RemoteReader {
        try checkUp(lease)
        let object = GattCharacteristic1(path: try path(of: characteristic))
        let (socket, _) = try await acquire(object.acquireNotify, characteristic, lease)
        return RemoteReader(socket, over: self)
    }

    private func acquire(
        _ message: Message,
        _ characteristic: AttributeID,
        _ lease: Int
    ) async throws -> (PacketSocket, mtuBytes: Int) {
        let path = try path(of: characteristic)
        let isNotifying = message.member == "AcquireNotify"
        if isNotifying { acquiring.insert(path) }
        defer { acquiring.remove(path) }
        let body: [Value]
        do {
            body = try await reply(to: message, isRead: false, path).body()
        } catch let reply as ErrorReply where reply.name == BlueZError.notSupported {
            throw RadioError(
                .unsupported,
                "\(message.member ?? "") on \(characteristic) of \(peer) failed: \(reply)",
                underlying: reply
            )
        } catch {
            throw translate(error, message, "\(characteristic)")
        }
        guard let descriptor = body.first?.descriptor, let mtuBytes = body.last?.uint16 else {
            throw RadioError(
                .failed,
                "\(message.member ?? "") on \(characteristic) of \(peer) gave no socket"
            )
        }
        let peer = peer
        let socket = PacketSocket(descriptor) { ending in
            switch ending {
            case .closed: RadioError(.peerGone, "the access to \(characteristic) of \(peer) ended")
            case .overflow: RadioError(.overflow, "\(peer) sent faster than its values were taken")
            }
        }
        // The link may have ended just then.
        do {
            try checkUp(lease)
        } catch {
            socket.close()
            throw error
        }
        acquired.append(
            Acquired(lease: lease, path: path, socket: socket, isNotifying: isNotifying)
        )
        return (socket, max(Int(mtuBytes), 23))
    }

    func close(_ socket: PacketSocket) {
        socket.close()
        acquired.removeAll { $0.socket === socket }
    }

    /// Ends the access of a link, or of all of them.
    ///
    /// - Parameters:
    ///   - lease: the link; `nil` for all.
    ///   - error: why; `nil` when its user ends it.
    func closeSockets(of lease: Int? = nil, _ error: RadioError?) {
        for access in acquired where lease == nil || access.lease == lease {
            access.socket.close(error)
        }
        acquired.removeAll { lease == nil || $0.lease == lease }
    }

    /// Characteristics that this program alone is notified of, through sockets.
    var acquiredPaths: Set<ObjectPath> {
        acquiring.union(acquired.lazy.filter(\.isNotifying).map(\.path))
    }
}

/// Exclusive access for writing.
struct RemoteWriter: CharacteristicWriter {
    let maximumByteCount: Int
    private let socket: PacketSocket
    private let characteristic: AttributeID
    private let device: RemoteDevice
    private let lease: Int

    init(
        _ socket: PacketSocket,
        of characteristic: AttributeID,
        maximumByteCount: Int,
        over device: RemoteDevice,
        by lease: Int
    ) {
        self.socket = socket
        self.characteristic = characteristic
        self.maximumByteCount = maximumByteCount
        self.device = device
        self.lease = lease
    }

    func write(_ value: [UInt8]) async throws {
        guard (1...maximumByteCount).contains(value.count) else {
            throw RadioError(
                .valueTooLong,
                "writing \(value.count) bytes to \(characteristic): an acquired characteristic takes "
                    + "1 to \(maximumByteCount)"
            )
        }
        while true {
            // bluetoothd 5.66 keeps the socket of a link that has ended, and takes what is written.
            try await device.checkUp(lease)
            switch socket.send(value) {
            case .sent: return
            case .full: await socket.waitUntilWritable()
            case .closed:
                throw RadioError(
                    .peerGone,
                    "writing to \(characteristic) of \(device.peer): the access to it has ended"
                )
            }
        }
    }

    func close() async {
        await device.close(socket)
    }
}

/// Exclusive access to notifications.
struct RemoteReader: CharacteristicReader {
    private let socket: PacketSocket
    private let device: RemoteDevice

    init(_ socket: PacketSocket, over device: RemoteDevice) {
        self.socket = socket
        self.device = device
    }

    var values: AsyncThrowingStream<[UInt8], any Error> { socket.packets }

    func close() async {
        await device.close(socket)
    }
}
