import BLE
import BLEDBus
import BLESocket
import BlueZ
import Testing

/// A byte socket over two adapters of bluetoothd.
@Suite("A byte socket", .timeLimit(.oneCheck))
struct ByteSocketTests {
    @Test(arguments: [
        SocketConfiguration.keyless(service: "42B20191-092E-4B85-B0CA-1012F6AC783A"),
        .iox(service: "42B20191-092E-4B85-B0CA-1012F6AC783A"), .nordicUART,
        // One characteristic for both directions.
        SocketConfiguration(service: "FFE0", notify: "FFE1", write: "FFE1"),
    ])
    func `carries bytes both ways, and is seen to be closed`(
        configuration: SocketConfiguration
    ) async throws {
        try await check { world in
            let central = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let peripheral = try await Adapter.open("hci1", onBusAt: world.bus.rawValue)
            var configuration = configuration
            configuration.reconnects = false
            let listener = Socket(listeningOn: peripheral, configuration)
            let connector = Socket(connectingOver: central, configuration)
            let toListener = await listener.received()
            let toConnector = await connector.received()
            async let listening: Void = listener.open()
            try await connector.open()
            try await listening

            // The first one tells who the central is, where the system does not. One at a time: over several
            // bearers they may overtake each other.
            for number in 0..<20 as Range<UInt8> {
                let sent = [UInt8](repeating: number, count: 1 + Int(number) * 26)
                async let received = Self.read(sent.count, from: toListener)
                try await connector.send(sent)
                #expect(try await received == sent)
                async let reply = Self.read(sent.count, from: toConnector)
                try await listener.send(sent)
                #expect(try await reply == sent)
            }

            await connector.close()
            await #expect {
                _ = try await Self.read(1, from: toListener)
            } throws: {
                ($0 as? SocketError)?.code == .lostConnection
            }
            await listener.close()
            await central.close()
            await peripheral.close()
        }
    }

    private static func read(
        _ byteCount: Int,
        from stream: AsyncThrowingStream<[UInt8], any Error>
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in stream {
            bytes += piece
            if bytes.count >= byteCount { break }
        }
        return bytes
    }
}
