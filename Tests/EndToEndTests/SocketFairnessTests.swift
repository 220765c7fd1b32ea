import BLE
import BLEDBusTesting
import BLESocket
import BlueZ
import Foundation
import Testing
import VirtualBlueZ

/// Many sockets on one adapter.
@Suite("Sockets that share an adapter", .timeLimit(.minutes(10)))
struct SocketFairnessTests {
    private static let byteCount = 120_000
    /// How much of the fastest one's bytes the slowest must have, in hundredths: `SOCKET_SHARE=80` asks for shares within 20 %,
    /// which a machine has that does nothing else meanwhile.
    private static let leastShare =
        ProcessInfo.processInfo.environment["SOCKET_SHARE"].flatMap { Int($0) } ?? 25

    /// How much each has brought to the other end.
    private actor Progress {
        private var counts: [Int]
        /// The counts at the moment at which the first of a group had all.
        private(set) var snapshots: [Int: [Int]] = [:]
        private let groups: [Range<Int>]

        init(_ groups: [Range<Int>]) {
            self.groups = groups
            counts = Array(repeating: 0, count: groups.last?.upperBound ?? 0)
        }

        func add(_ count: Int, to number: Int) {
            counts[number] += count
            guard counts[number] >= SocketFairnessTests.byteCount,
                let group = groups.firstIndex(where: { $0.contains(number) }),
                snapshots[group] == nil
            else { return }
            snapshots[group] = Array(counts[groups[group]])
        }
    }

    private static func configuration(_ number: Int) -> SocketConfiguration {
        let low = String(number, radix: 16)
        let service = BluetoothUUID("6E40\(low)001-B5A3-F393-E0A9-E50E24DCCA9E")
        var configuration = SocketConfiguration.nordicUART
        if let service { configuration.service = service }
        configuration.transports = [.stream]
        configuration.sendLimit = nil
        return configuration
    }

    /// A part of what a socket sends, which no other one does.
    private static func bytes(of number: Int, _ range: Range<Int>) -> [UInt8] {
        range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &* 77 &+ $0 >> 8) }
    }

    /// On a double of its own: the emulated machine of the real world has neither so many adapters nor the time.
    @Test(.enabled(if: WorldKind.current == .virtual))
    func `eight as centrals and four that listen all go on`() async throws {
        let bus = try await PrivateBus.start()
        let daemon = try await VirtualDaemon.start(on: bus.address, adapters: 13)
        let shared = try await Adapter.open("hci0", onBusAt: bus.address)
        var others: [Adapter] = []
        for number in 1...12 {
            others.append(try await Adapter.open("hci\(number)", onBusAt: bus.address))
        }
        let groups = [0..<8, 8..<12]
        let pairs: [(own: Socket, other: Socket)] = (0..<12).map { number in
            let configuration = Self.configuration(number)
            return groups[0].contains(number)
                ? (
                    Socket(connectingOver: shared, configuration),
                    Socket(listeningOn: others[number], configuration)
                )
                : (
                    Socket(listeningOn: shared, configuration),
                    Socket(connectingOver: others[number], configuration)
                )
        }
        let progress = Progress(groups)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for pair in pairs {
                group.addTask { try await pair.own.open() }
                group.addTask { try await pair.other.open() }
            }
            try await group.waitForAll()
        }
        // Before anything is sent: what nobody reads is not kept, and all begin at once.
        var readers: [AsyncThrowingStream<[UInt8], any Error>] = []
        for pair in pairs { readers.append(await pair.other.received()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, (pair, received)) in zip(pairs, readers).enumerated() {
                group.addTask {
                    try await pair.own.send(Self.bytes(of: number, 0..<Self.byteCount))
                }
                group.addTask {
                    var count = 0
                    for try await bytes in received {
                        #expect(bytes == Self.bytes(of: number, count..<count + bytes.count))
                        count += bytes.count
                        await progress.add(bytes.count, to: number)
                        if count >= Self.byteCount { break }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (number, name) in ["centrals", "listening"].enumerated() {
            let counts = try #require(await progress.snapshots[number])
            print("fairness | \(name) | bytes when the first had all | \(counts)")
            let least = Self.byteCount * Self.leastShare / 100
            #expect(counts.allSatisfy { $0 >= least }, "\(name): \(counts)")
        }
        for pair in pairs {
            await pair.own.close()
            await pair.other.close()
        }
        for adapter in others + [shared] { await adapter.close() }
        await daemon.stop()
    }
}
