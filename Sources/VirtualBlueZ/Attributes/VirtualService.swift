internal import BLEDBus

/// A service in an adapter's attribute table.
struct VirtualService: Hashable {
    let handle: UInt16
    let uuid: String
    let isPrimary: Bool
    let characteristics: [VirtualCharacteristic]

    /// Whose it is; `nil` for the daemon's own.
    let application: RegisteredApplication.ID?

    init(
        handle: UInt16,
        uuid: String,
        isPrimary: Bool = true,
        characteristics: [VirtualCharacteristic],
        application: RegisteredApplication.ID? = nil
    ) {
        self.handle = handle
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
        self.application = application
    }

    func path(below device: ObjectPath) -> ObjectPath {
        device.child("service" + handle.fourDigits)
    }
}

extension UInt16 {
    /// An attribute's handle as it stands in paths, `001a`.
    var fourDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension VirtualService {
    /// The handles of its characteristics and descriptors.
    var handles: [UInt16] {
        characteristics.flatMap { [$0.handle] + $0.descriptors.map(\.handle) }
    }

    /// From its own handle to that of its last attribute.
    var range: Range<Int> {
        // A characteristic has two, of which the second one is the last unless there are descriptors.
        let last = characteristics.last.map { $0.descriptors.last?.handle ?? $0.handle + 1 }
        return Int(handle)..<Int(last ?? handle) + 1
    }

    /// What a central finds of it, whosever it is: handles and UUIDs.
    var attributes: [String] {
        ["\(handle) \(uuid)"]
            + characteristics.flatMap { characteristic in
                [
                    "\(characteristic.handle) \(characteristic.uuid) \(characteristic.flags.discovered)"
                ]
                    + characteristic.descriptors.map { "\($0.handle) \($0.uuid)" }
            }
    }
}
