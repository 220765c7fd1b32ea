internal import BLE
internal import DBus
internal import Logging

/// Values that are notified to all who have subscribed.
extension PublishedServices {
    func update(_ characteristic: AttributeID, to value: [UInt8]) throws {
        let path = try path(of: characteristic, for: value)
        guard !updates.isFull else {
            throw RadioError(
                .busy,
                "telling a value at \(path): \(UpdateQueue.maximumCount) values wait for the replies "
                    + "to writes before them"
            )
        }
        if updates.admits(value, at: path) { try send(value, at: path) }
    }

    /// The object of a characteristic that a value can be sent from.
    func path(of characteristic: AttributeID, for value: [UInt8]) throws -> ObjectPath {
        try checkNotEnded()
        guard value.count <= 512 else {
            throw RadioError(.valueTooLong, "\(value.count) bytes are more than a value has, 512")
        }
        guard let path = application.path(of: characteristic) else {
            throw RadioError(.missingAttribute, "there is no published \(characteristic)")
        }
        return path
    }

    private func send(_ value: [UInt8], at path: ObjectPath) throws {
        logger.debug("\(value.count) bytes are sent from \(path)")
        do {
            try connection.assumeIsolated { connection in
                try connection.update(
                    ["Value": .bytes(value)],
                    of: GattCharacteristic1.interface,
                    at: path
                )
            }
        } catch {
            throw BlueZError.translate(error, for: .publish, "telling a value at \(path)")
        }
    }

    func didReplyToWrite() {
        for update in updates.didReply() where !hasEnded {
            do {
                try send(update.value, at: update.path)
            } catch {
                logger.warning("\(error)")
            }
        }
    }
}
