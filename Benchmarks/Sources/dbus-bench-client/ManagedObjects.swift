import DBus

/// `GetManagedObjects` of devices with 20 properties each, taken into a mirror.
extension BenchClient {
    func managedObjects(_ count: Int, repeats: Int) async throws -> Report {
        var walls: [UInt64] = []
        var cpus: [UInt64] = []
        for _ in 0..<repeats {
            let watch = Stopwatch()
            let sightings = try await sightings(of: count)
            precondition(sightings == count, "\(sightings) devices came instead of \(count)")
            walls.append(watch.wall)
            cpus.append(watch.cpu)
        }
        // C reads every value while the time runs, the adapter a few; the sum is told outside of
        // the time, that the trees are the same.
        var sum = TreeSum()
        for value in try await tree(of: count).body() { sum.add(value) }
        return Report(
            mode: "managed",
            count: count,
            wall: walls.median,
            cpu: cpus.median,
            properties: sum.properties,
            check: sum.check
        )
    }

    private func tree(of count: Int) async throws -> Message {
        try await call("GetManagedObjects", .uint32(UInt32(count)))
    }

    /// Takes the tree in as the adapter does when it starts: it keeps what BlueZ's own interfaces
    /// say, and reads of each device what a sighting tells.
    ///
    /// - Returns: how many devices told all of it.
    private func sightings(of count: Int) async throws -> Int {
        var mirror = ObjectMirror { $0.hasPrefix("org.bluez.") }
        try mirror.load(try await tree(of: count))
        return try mirror.objects(with: "org.bluez.Device1")
            .map { _, properties in try Sighting(properties) }
            .count { $0.isComplete }
    }
}

/// What the adapter reads of a device.
private struct Sighting {
    private var address = ""
    private var name = ""
    private var rssi: Int16?
    private var isConnected = false
    private var serviceUUIDs: [String] = []

    init(_ properties: PropertyMap) throws(BusError) {
        try properties.forEach { (name, reader) throws(BusError) in
            if name.equals("Address") {
                address = try reader.readString()
            } else if name.equals("Alias") {
                self.name = try reader.readString()
            } else if name.equals("RSSI") {
                rssi = try reader.readInt16()
            } else if name.equals("Connected") {
                isConnected = try reader.readBool()
            } else if name.equals("UUIDs") {
                try reader.readArray { (uuids) throws(BusError) in
                    serviceUUIDs.append(try uuids.readString())
                }
            } else {
                try reader.skip()
            }
        }
    }

    var isComplete: Bool {
        !address.isEmpty && !name.isEmpty && rssi != nil && !serviceUUIDs.isEmpty
    }
}

/// Counts variants, and sums up strings' lengths, bytes and truths, as `walk` in C does.
private struct TreeSum {
    private(set) var properties = 0
    private(set) var check = 0

    mutating func add(_ value: Value) {
        switch value {
        case .string(let text): check += text.utf8.count
        case .objectPath(let path): check += path.rawValue.utf8.count
        case .signature(let signature): check += signature.rawValue.utf8.count
        case .bool(let truth): check += truth ? 1 : 0
        case .bytes(let bytes): check += bytes.sum
        case .array(_, let elements), .structure(let elements):
            for element in elements { add(element) }
        case .dictionary(_, _, let entries):
            for entry in entries {
                add(entry.key)
                add(entry.value)
            }
        case .variant(let content):
            properties += 1
            add(content)
        default: break
        }
    }
}
