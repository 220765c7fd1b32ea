/// Which peers a scan reports.
///
/// A radio applies the filter itself to every report, whatever its system promises to filter:
/// systems merge the filters of all their clients.
public struct ScanFilter: Hashable, Sendable {
    /// A service that a reported peer advertises; `nil` for any.
    public let service: BluetoothUUID?

    /// The name that a reported peer advertises, letter by letter; `nil` for any.
    public let name: String?

    /// The strengths at which a report counts; `nil` for any, and for unknown ones too.
    public let rssi: ClosedRange<RSSI>?

    /// Which peers a scan reports.
    ///
    /// - Parameters:
    ///   - service: a service that the peer advertises; `nil` for any.
    ///   - name: the name that the peer advertises, letter by letter; `nil` for any.
    ///   - rssi: the strengths at which a report counts, judged anew at each report; `nil` for any.
    public init(
        service: BluetoothUUID? = nil,
        name: String? = nil,
        rssi: ClosedRange<RSSI>? = nil
    ) {
        self.service = service
        self.name = name
        self.rssi = rssi
    }

    /// Whether a sighting passes.
    ///
    /// - Parameter sighting: what was heard.
    /// - Returns: whether each criterion that is set holds. An unknown strength passes no range.
    public func admits(_ sighting: Sighting) -> Bool {
        if let service, !sighting.serviceUUIDs.contains(service) { return false }
        if let name, sighting.name != name { return false }
        if let rssi {
            guard let heard = sighting.rssi, rssi.contains(heard) else { return false }
        }
        return true
    }
}
