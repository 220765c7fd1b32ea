internal import BLE
internal import BLEDBus

/// Exclusive access to characteristics, through sockets of bluetoothd.
extension RemoteDevice {
    /// A socket of a link.
    struct Acquired {
        let number: Int
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
        let (access, mtuBytes) = try await acquire(object.acquireWrite, characteristic, lease)
        return RemoteWriter(
            access,
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
        let (access, _) = try await acquire(object.acquireNotify, characteristic, lease)
        return RemoteReader(access, over: self)
    }

    private func acquire(
        _ message: Message,
        _ characteristic: AttributeID,
        _ lease: Int
    ) async throws -> (Acquired, mtuBytes: Int) {
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
        lastAcquired += 1
        let number = lastAcquired
        let socket = PacketSocket(descriptor) { ending in
            switch ending {
            case .closed: RadioError(.peerGone, "the access to \(characteristic) of \(peer) ended")
            case .overflow: RadioError(.overflow, "\(peer) sent faster than its values were taken")
            }
        } ended: { [weak self] in
            Task { await self?.close(number) }
        }
        // The link may have ended just then, or the service have gone.
        do {
            try checkAccess(to: characteristic, by: lease)
        } catch {
            socket.close()
            throw error
        }
        let access = Acquired(
            number: number,
            lease: lease,
            path: path,
            socket: socket,
            isNotifying: isNotifying
        )
        acquired.append(access)
        return (access, max(Int(mtuBytes), 23))
    }

    /// - Throws: why there can be no access, when the link has ended or the peer has taken the service back.
    func checkAccess(to characteristic: AttributeID, by lease: Int) throws {
        try checkUp(lease)
        _ = try path(of: characteristic)
    }

    /// Gives access back, or learns that it has ended.
    func close(_ number: Int) {
        for access in acquired where access.number == number { access.socket.close() }
        acquired.removeAll { $0.number == number }
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

    /// Ends the access to a characteristic that is gone.
    func closeSockets(at path: ObjectPath, _ error: RadioError) {
        for access in acquired where access.path == path { access.socket.close(error) }
        acquired.removeAll { $0.path == path }
    }

    /// Characteristics that this program alone is notified of, through sockets.
    var acquiredPaths: Set<ObjectPath> {
        acquiring.union(acquired.lazy.filter(\.isNotifying).map(\.path))
    }
}

/// Exclusive access for writing, given back with the last reference to it.
final class RemoteWriter: CharacteristicWriter {
    let maximumByteCount: Int
    private let access: RemoteDevice.Acquired
    private let characteristic: AttributeID
    private let device: RemoteDevice
    private let lease: Int

    init(
        _ access: RemoteDevice.Acquired,
        of characteristic: AttributeID,
        maximumByteCount: Int,
        over device: RemoteDevice,
        by lease: Int
    ) {
        self.access = access
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
        // bluetoothd 5.66 keeps the socket of a link that has ended, and takes what is written.
        let outcome = try await access.socket.send(value) {
            try await device.checkAccess(to: characteristic, by: lease)
        }
        switch outcome {
        case .sent: return
        case .full:
            throw RadioError(
                .busy,
                "writing to \(characteristic) of \(device.peer): \(Turns.maximumWaitingCount) values "
                    + "wait until it takes more"
            )
        case .closed:
            try await device.checkAccess(to: characteristic, by: lease)
            throw RadioError(
                .peerGone,
                "writing to \(characteristic) of \(device.peer): the access to it has ended"
            )
        }
    }

    func close() async {
        await device.close(access.number)
    }

    deinit {
        // Then the other end of the socket is closed, too, and it is forgotten.
        access.socket.close()
    }
}

/// Exclusive access to notifications, given back when nobody has its values any longer.
struct RemoteReader: CharacteristicReader {
    let values: AsyncThrowingStream<[UInt8], any Error>
    private let number: Int
    private let device: RemoteDevice

    init(_ access: RemoteDevice.Acquired, over device: RemoteDevice) {
        values = access.socket.takePackets()
        number = access.number
        self.device = device
    }

    func close() async {
        await device.close(number)
    }
}
