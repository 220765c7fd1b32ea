internal import BLE
internal import BLEDBus
internal import Glibc

/// The handles that a publication asks bluetoothd for.
///
/// An application that asks for none gets the next ones, until bluetoothd ends: those of what is gone are not given again.
/// Beyond 1,023 the Database Hash no longer changes, and centrals go on with services that are gone (Docs/Conformance.md,
/// "Handles"). So a publication asks for handles: by chance, as a central would take a service with the handles of the one
/// before for that one; and for low ones, as applications that ask for none get those behind the highest.
struct ServiceHandles: Sendable {
    /// Those that are asked for, behind bluetoothd's own.
    static let all = 0x40..<0x240

    /// How often others are tried where some are taken.
    private static let attemptCount = 16

    /// From the first one's to the last one's last attribute.
    let range: Range<Int>
    /// The handle of each service, in their order.
    let services: [UInt16]
    /// What keeps other programs from asking for the same.
    private let reservations: [FileDescriptor]

    /// Chooses handles that no other program of this package has chosen.
    ///
    /// bluetoothd lets a service go when another one of the same UUID and size is registered at its handle. So they stay
    /// reserved as long as there is a copy of this value. `nil` when there is no room for so many, or others have too many.
    ///
    /// - Parameters:
    ///   - published: the services.
    ///   - adapter: the adapter's name; each has handles of its own.
    ///   - last: those of the publication before, of which none is chosen.
    init?(for published: [GATTService], on adapter: String, besides last: Range<Int>?) {
        let counts = published.map(\.maximumHandleCount)
        let count = counts.reduce(0, +)
        guard !published.isEmpty, count <= Self.all.count else { return nil }
        for _ in 0..<Self.attemptCount {
            let first = Int.random(in: Self.all.lowerBound...Self.all.upperBound - count)
            let range = first..<first + count
            guard last?.overlaps(range) != true else { continue }
            var next = first
            let services = counts.map { count in
                defer { next += count }
                return UInt16(next)
            }
            let reservations = services.compactMap { Self.reserve("ble-handle-\(adapter)-\($0)") }
            guard reservations.count == services.count else { continue }
            self.range = range
            self.services = services
            self.reservations = reservations
            return
        }
        return nil
    }

    /// Takes a name that one program at a time can have, which ends with it at the latest.
    ///
    /// - Returns: what keeps the name; `nil` when another has it.
    private static func reserve(_ name: String) -> FileDescriptor? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The zero in front makes it an abstract address, which is no file.
        let path = [0] + name.utf8
        guard path.count <= MemoryLayout.size(ofValue: address.sun_path),
            let offset = MemoryLayout.offset(of: \sockaddr_un.sun_path)
        else { return nil }
        // Nobody listens, so nothing can be sent to it.
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let owner = FileDescriptor(owning: descriptor)
        withUnsafeMutableBytes(of: &address) { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: path)
        }
        let status = withUnsafeBytes(of: &address) { bytes in
            bind(
                descriptor,
                bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(offset + path.count)
            )
        }
        return status == 0 ? owner : nil
    }
}

extension GATTService {
    /// How many handles it takes at most: one for itself, and for each characteristic two, one for its subscribers, one for
    /// extended properties, and those of its descriptors.
    fileprivate var maximumHandleCount: Int {
        characteristics.reduce(1) { $0 + 4 + $1.descriptors.count }
    }
}
