import BLEDBus
import Measuring

/// `GetManagedObjects` of devices with 20 properties each, taken into a mirror.
extension BenchClient {
    func managedObjects(_ count: Int, repeats: Int) async throws -> Report {
        var walls: [UInt64] = []
        var cpus: [UInt64] = []
        for _ in 0..<repeats {
            let watch = Stopwatch()
            let names = try await names(of: count)
            precondition(names == count, "\(names) devices came instead of \(count)")
            walls.append(watch.wall)
            cpus.append(watch.cpu)
        }
        // C reads every value while the time runs. Here what nobody asks for stays as it came, so
        // the sum over all of it is taken behind the time; it tells that the trees are the same.
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

    /// Takes the tree in as the adapter of BlueZ does when it starts: it keeps the properties of
    /// four interfaces and takes down each device's name.
    ///
    /// - Returns: how many devices have a name.
    private func names(of count: Int) async throws -> Int {
        var mirror = ObjectMirror { interface in
            [
                "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattService1",
                "org.bluez.GattCharacteristic1",
            ].contains(interface)
        }
        try mirror.load(try await tree(of: count))
        var names: [ObjectPath: String] = [:]
        for (path, properties) in mirror.objects(with: "org.bluez.Device1") {
            names[path] = properties["Name"]?.string
        }
        return names.count
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
