internal import BLEDBus

/// A service in an adapter's attribute table.
struct VirtualService: Hashable {
    let handle: UInt16
    let uuid: String
    let isPrimary: Bool
    let characteristics: [VirtualCharacteristic]

    /// Whose it is; `nil` for the daemon's own.
    let application: RegisteredApplication.ID?

    /// Its object there.
    let object: ObjectPath?

    init(
        handle: UInt16,
        uuid: String,
        isPrimary: Bool = true,
        characteristics: [VirtualCharacteristic],
        application: RegisteredApplication.ID? = nil,
        object: ObjectPath? = nil
    ) {
        self.handle = handle
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
        self.application = application
        self.object = object
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

    /// The objects of its application, each with its handle: of a characteristic that of the value.
    var objects: [(path: ObjectPath, interface: String, handle: UInt16)] {
        var objects: [(path: ObjectPath, interface: String, handle: UInt16)] = []
        if let object { objects.append((object, InterfaceName.service1, handle)) }
        for characteristic in characteristics {
            guard case .application(_, let path) = characteristic.source else { continue }
            objects.append((path, InterfaceName.characteristic1, characteristic.handle + 1))
            for descriptor in characteristic.descriptors {
                guard case .application(_, let path) = descriptor.source else { continue }
                objects.append((path, InterfaceName.descriptor1, descriptor.handle))
            }
        }
        return objects
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
