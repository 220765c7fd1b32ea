/// Selects the peers that a scan reports.
///
/// A radio applies the filter to each ``Sighting`` itself. It may pass the filter on to its system, but
/// cannot rely on that: systems merge the filters of all programs.
public struct ScanFilter: Hashable, Sendable {
    /// The services of which a reported peer advertises at least one; empty for any peer.
    public let services: Set<BluetoothUUID>

    /// The exact name that a reported peer advertises; `nil` for any.
    public let name: String?

    /// The signal strengths to report; `nil` for any, unknown ones included.
    public let rssi: ClosedRange<RSSI>?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - service: a service that the peer advertises; `nil` for any.
    ///   - name: the exact name that the peer advertises; `nil` for any.
    ///   - rssi: the signal strengths to report, checked for each sighting; `nil` for any.
    public init(
        service: BluetoothUUID? = nil,
        name: String? = nil,
        rssi: ClosedRange<RSSI>? = nil
    ) {
        self.init(services: service.map { [$0] } ?? [], name: name, rssi: rssi)
    }

    /// Creates a filter for several services.
    ///
    /// - Parameters:
    ///   - services: the services of which the peer advertises at least one; empty for any peer.
    ///   - name: the exact name that the peer advertises; `nil` for any.
    ///   - rssi: the signal strengths to report, checked for each sighting; `nil` for any.
    public init(
        services: Set<BluetoothUUID>,
        name: String? = nil,
        rssi: ClosedRange<RSSI>? = nil
    ) {
        self.services = services
        self.name = name
        self.rssi = rssi
    }

    /// Returns whether a sighting passes the filter.
    ///
    /// - Parameter sighting: what was received.
    /// - Returns: whether it meets each criterion that is set. An unknown signal strength is in no
    ///   range.
    public func admits(_ sighting: Sighting) -> Bool {
        if !services.isEmpty, services.isDisjoint(with: sighting.serviceUUIDs) { return false }
        if let name, sighting.name != name { return false }
        if let rssi {
            guard let strength = sighting.rssi, rssi.contains(strength) else { return false }
        }
        return true
    }
}
