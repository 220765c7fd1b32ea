internal import BLE

/// The services of a peer, as far as they have been discovered.
struct RemoteServices {
    private(set) var isDiscovered = false
    private(set) var all: [GATTService] = []
    private var publications: [Int] = []
    private var targets: [AttributeID: Target] = [:]
    private var ids: [Target: AttributeID] = [:]
    private var removed: Set<BluetoothUUID> = []

    /// What there is no longer.
    struct Removal {
        let publication: Int
        let services: [BluetoothUUID]
    }

    /// `nil` when there is none, or none any longer.
    subscript(_ id: AttributeID) -> Target? { targets[id] }

    func target(of id: AttributeID, _ peer: PeerID) throws(RadioError) -> Target {
        if let target = self[id] { return target }
        guard removed.contains(id.service) else {
            let remedy = isDiscovered ? "" : "; its services are not discovered yet"
            throw RadioError(.missingAttribute, "\(peer) has no \(id)\(remedy)")
        }
        throw Self.invalidated([id.service], peer)
    }

    func id(of target: Target) -> AttributeID? { ids[target] }

    func properties(of id: AttributeID) -> CharacteristicProperties { all[id]?.properties ?? [] }

    func hasDescriptor(_ id: DescriptorID) -> Bool {
        all[id.characteristic]?.descriptors.contains { $0.uuid == id.descriptor } == true
    }

    static func invalidated(_ services: [BluetoothUUID], _ peer: PeerID) -> RadioError {
        let names = services.map(\.description).joined(separator: ", ")
        return RadioError(.servicesInvalidated, "\(peer) removed the service \(names)")
    }

    /// The peer has these services from now on.
    ///
    /// - Returns: what there is no longer.
    mutating func update(to served: [ServedServices]) -> [Removal] {
        let remaining = Set(served.map(\.publication))
        let removals = publications.filter { !remaining.contains($0) }.map { publication in
            Removal(publication: publication, services: services(of: publication))
        }
        isDiscovered = true
        publications = served.map(\.publication)
        servicesByPublication = Dictionary(
            uniqueKeysWithValues: served.map { ($0.publication, $0.services.map(\.uuid)) }
        )
        all = served.flatMap(\.services).map(Self.discovered)
        removed.formUnion(removals.flatMap(\.services))
        removed.subtract(all.map(\.uuid))
        let own = served.flatMap { served in
            served.services.attributes.map { Target(publication: served.publication, id: $0.id) }
        }
        targets = Dictionary(uniqueKeysWithValues: zip(all.attributes.map(\.id), own))
        ids = Dictionary(uniqueKeysWithValues: zip(own, all.attributes.map(\.id)))
        return removals
    }

    private var servicesByPublication: [Int: [BluetoothUUID]] = [:]

    private func services(of publication: Int) -> [BluetoothUUID] {
        servicesByPublication[publication] ?? []
    }

    /// A service as centrals discover it: the values of descriptors have to be read.
    private static func discovered(_ service: GATTService) -> GATTService {
        GATTService(
            uuid: service.uuid,
            characteristics: service.characteristics.map { characteristic in
                GATTCharacteristic(
                    uuid: characteristic.uuid,
                    properties: characteristic.properties,
                    descriptors: characteristic.servedDescriptors.map {
                        GATTDescriptor(uuid: $0.uuid)
                    }
                )
            }
        )
    }
}

extension GATTCharacteristic {
    /// The descriptors with the one that a system makes by itself.
    ///
    /// Source: Core specification, Vol 3, Part G, 3.3.3.3.
    var servedDescriptors: [GATTDescriptor] {
        guard !properties.isDisjoint(with: [.notify, .indicate]) else { return descriptors }
        return descriptors + [GATTDescriptor(uuid: .clientCharacteristicConfiguration)]
    }
}

extension BluetoothUUID {
    static let clientCharacteristicConfiguration = BluetoothUUID(assignedNumber: 0x2902)
}
