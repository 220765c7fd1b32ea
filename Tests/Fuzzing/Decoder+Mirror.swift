import BLE

@testable import BLEDBus
@testable import BlueZ

/// What a daemon tells of its objects, in any order, as a mirror and a link's services keep it; the
/// mirror is held against a dictionary that does the same.
@Sendable func decodeMirror(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    var scene = MirrorScene()
    while !source.isEmpty { scene.step(&source) }
    scene.check()
    scene.removeAll()
}

private struct MirrorScene {
    private struct Key: Hashable {
        let path: ObjectPath
        let interface: String
    }

    private static let manager = "org.freedesktop.DBus.ObjectManager"

    private var mirror = ObjectMirror { $0 != "org.bluez.Battery1" }
    private var model: [Key: [String: Value]] = [:]
    private var services = RemoteServices()
    private var sightings = Sightings()
    private var gate = NotificationGate()

    mutating func step(_ source: inout ByteSource) {
        let path = source.path()
        switch source.number(below: 6) {
        case 0: add(path, &source)
        case 1: remove(path, [source.interface(), source.interface()])
        case 2: change(path, source.interface(), source.properties(), &source)
        case 3: checkLink(path, &source)
        case 4:
            // A signal of another shape than its name says.
            let body = [source.value(), source.value()]
            let member = source.element(of: ["InterfacesAdded", "InterfacesRemoved"])
            if let signal = try? Message.signal(from: .root, Self.manager, member, body),
                signal.signature != "oas", signal.signature != "oa{sa{sv}}"
            {
                // It may pass where it says nothing, as with an empty array of something else.
                let changes = (try? mirror.apply(signal)) ?? []
                precondition(changes.isEmpty, "\(signal.signature)")
            }
        default: break
        }
    }

    private mutating func add(_ path: ObjectPath, _ source: inout ByteSource) {
        let interface = source.interface()
        let properties = source.properties()
        let entry = Value.Entry(.string(interface), .properties(properties))
        let told = Value.dictionary(key: "s", value: "a{sv}", [entry])
        let changes = apply("InterfacesAdded", [.objectPath(path), told])
        let isWanted = interface != "org.bluez.Battery1"
        precondition(changes.count == (isWanted ? 1 : 0))
        guard isWanted else { return }
        model[Key(path: path, interface: interface)] = properties
        services.add(path, interface, PropertyMap(properties))
        if interface == Device1.interface {
            _ = sightings.add(Device1(path: path, properties: PropertyMap(properties)))
        }
    }

    private mutating func remove(_ path: ObjectPath, _ interfaces: [String]) {
        let changes = apply("InterfacesRemoved", [.objectPath(path), .strings(interfaces)])
        let gone = Set(interfaces).filter {
            model.removeValue(forKey: Key(path: path, interface: $0)) != nil
        }
        precondition(Set(changes.map(\.interface)) == gone && changes.count == gone.count)
        for interface in gone { _ = services.remove(path, interface) }
        if gone.contains(Device1.interface) { sightings.remove(path) }
    }

    private mutating func change(
        _ path: ObjectPath,
        _ interface: String,
        _ properties: [String: Value],
        _ source: inout ByteSource
    ) {
        let invalidated = source.element(of: [[], ["Name"], ["RSSI", "UUID"]])
        let key = Key(path: path, interface: interface)
        let changes = apply(
            "PropertiesChanged",
            [.string(interface), .properties(properties), .strings(invalidated)],
            from: path,
            "org.freedesktop.DBus.Properties"
        )
        precondition(changes.count == (model[key] == nil ? 0 : 1))
        guard model[key] != nil else { return }
        model[key]?.merge(properties) { $1 }
        for name in invalidated { model[key]?[name] = nil }
        let map = PropertyMap(properties)
        if interface == GattCharacteristic1.interface {
            services.change(GattCharacteristic1(path: path, properties: map))
        }
        if interface == Device1.interface, let all = mirror[path, interface] {
            let changed = Device1(path: path, properties: map)
            _ = sightings.change(changed, of: Device1(path: path, properties: all))
            _ = "\(sightings.sighting(of: Device1(path: path, properties: all)))"
        }
    }

    private mutating func apply(
        _ member: String,
        _ body: [Value],
        from path: ObjectPath = .root,
        _ interface: String = manager
    ) -> [ObjectMirror.Change] {
        do {
            return try mirror.apply(.signal(from: path, interface, member, body))
        } catch {
            preconditionFailure("\(member) with \(body): \(error)")
        }
    }

    private mutating func checkLink(_ path: ObjectPath, _ source: inout ByteSource) {
        switch source.number(below: 7) {
        case 0: gate.subscribe(path)
        case 1: gate.confirm(path)
        case 2: _ = gate.abandon(path)
        case 3: gate.unsubscribe(path)
        case 4: gate.beginRead(at: path)
        case 5:
            let told = gate.endRead(at: path, source.text())
            precondition(told.count <= NotificationGate.maximumHeldCount)
        default: _ = gate.admits(source.text(), at: path)
        }
    }

    mutating func check() {
        for (key, properties) in model {
            let kept = mirror[key.path, key.interface]?.values
            precondition(kept?.keys == properties.keys, "\(key) is \(String(describing: kept))")
            // A number that is none equals nothing, itself included.
            precondition("\(kept ?? [:])".count == "\(properties)".count)
        }
        let objects = Set(model.keys.map(\.interface))
            .reduce(0) { $0 + mirror.objects(with: $1).count }
        precondition(objects == model.count)
        precondition(services.mtuBytes >= 23)
        for (id, _) in services.all.attributes {
            let path = services.path(of: id)
            precondition(path != nil, "\(id) is at no path")
            precondition(path.flatMap { services.id(at: $0) } == id, "\(id) is another's")
        }
    }

    mutating func removeAll() {
        let count = mirror.removeAll().count
        precondition(count == model.count)
        for key in model.keys { _ = services.remove(key.path, key.interface) }
        precondition(services.uuids.isEmpty)
    }
}
