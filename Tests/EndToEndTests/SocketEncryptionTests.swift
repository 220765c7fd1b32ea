import BLE
import BLEDBus
import BLESocket
import BlueZ
import Foundation
import Testing

/// Who may be at the other end of `ble-socket`, and who reads what it sends.
@Suite("ble-socket, encrypted", .timeLimit(.oneCheck))
struct SocketEncryptionTests {
    /// What `ble-socket key` prints.
    private func publicKey(in path: String, _ world: any World) async throws -> String {
        let outcome = await (try world.tool("ble-socket", "key", path)).end()
        #expect(outcome.status == 0, "\(outcome)")
        let key = try #require(outcome.lines.first)
        #expect(key.count == 64, "\(outcome)")
        return key
    }

    /// Sends a file, and checks that it comes, or that both ends say why it does not.
    private func transfer(
        in world: any World,
        listening: [String],
        connecting: [String],
        _ files: Files,
        comes: Bool
    ) async throws -> (sent: Tool.Outcome, received: Tool.Outcome) {
        let transfer = try FileTransfer(
            of: files,
            in: world,
            listening: listening,
            connecting: connecting
        )
        let (sent, received) = await transfer.end()
        #expect(sent.status == (comes ? 0 : 76), "\(sent)")
        #expect(received.status == (comes ? 0 : 76), "\(received)")
        #expect(files.hasCopy == comes)
        return (sent, received)
    }

    @Test func `speaks to nobody but who has the key that was asked for`() async throws {
        try await check { world in
            let files = try Files(byteCount: 2_000)
            defer { files.remove() }
            let (mine, yours) = (files.path(of: "mine"), files.path(of: "yours"))
            let (myKey, yourKey) = (
                try await publicKey(in: mine, world), try await publicKey(in: yours, world)
            )
            #expect(myKey != yourKey)
            #expect(try await publicKey(in: mine, world) == myKey)
            let attributes = try FileManager.default.attributesOfItem(atPath: mine)
            #expect(attributes[.posixPermissions] as? Int == 0o600)

            let refused = try await transfer(
                in: world,
                listening: ["--key", mine, "--peer-key", myKey],
                connecting: ["--key", yours, "--peer-key", myKey],
                files,
                comes: false
            )
            #expect(refused.received.errors.contains(yourKey), "\(refused.received)")
            let (sent, received) = try await transfer(
                in: world,
                listening: ["--key", mine, "--peer-key", myKey, "--peer-key", yourKey],
                connecting: ["--key", yours, "--peer-key", myKey],
                files,
                comes: true
            )
            for (events, key) in [(sent.events, myKey), (received.events, yourKey)] {
                let connected = events.first { $0["event"] as? String == "connected" }
                #expect(connected?["peer-key"] as? String == key)
            }
        }
    }

    @Test func `speaks to nobody but who has the passphrase`() async throws {
        try await check { world in
            let files = try Files(byteCount: 2_000)
            defer { files.remove() }
            let words = try files.write("correct horse battery\n", to: "words")
            let same = try files.write("correct horse battery", to: "same")
            let other = try files.write("battery horse correct", to: "other")
            for (options, comes) in [
                (["--passphrase-file", other], false), ([], false),
                (["--passphrase-file", same], true),
            ] {
                _ = try await transfer(
                    in: world,
                    listening: ["--passphrase-file", words],
                    connecting: ["--transport", "stream"] + options,
                    files,
                    comes: comes
                )
            }
        }
    }

    @Test func `does without encryption where both ends ask for that`() async throws {
        try await check { world in
            let files = try Files(byteCount: 2_000)
            defer { files.remove() }
            _ = try await transfer(
                in: world,
                listening: ["--insecure"],
                connecting: [],
                files,
                comes: false
            )
            let (sent, _) = try await transfer(
                in: world,
                listening: ["--insecure"],
                connecting: ["--insecure"],
                files,
                comes: true
            )
            let connected = try #require(
                sent.events.first { $0["event"] as? String == "connected" }
            )
            #expect(connected["peer-key"] == nil)
        }
    }

    /// Another program of the central's machine, which is notified of all that this one is.
    @Test(arguments: [true, false])
    func `says nothing to who listens`(isEncrypted: Bool) async throws {
        try await check { world in
            var configuration = SocketConfiguration.nordicUART
            configuration.transports = [.stream]
            if !isEncrypted { configuration.encryption = nil }
            let central = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let peripheral = try await Adapter.open("hci1", onBusAt: world.bus.rawValue)
            let listener = Socket(listeningOn: peripheral, configuration)
            let connector = Socket(connectingOver: central, configuration)
            let received = await connector.received()
            async let listening: Void = listener.open()
            try await connector.open()
            try await listening

            let spy = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let link = try await spy.connect(to: PeerID(rawValue: "00:AA:01:01:00:01"))
            _ = try await link.discoverServices()
            let values = try await link.notifications(
                of: AttributeID(
                    service: configuration.service,
                    characteristic: configuration.stream
                )
            )
            let spying = Task {
                var bytes: [UInt8] = []
                // It ends with the connection, which the others have.
                do { for try await value in values { bytes += value } } catch {}
                return bytes
            }
            let text = Array("The quick brown fox jumps over the lazy dog. ".utf8)
            let sent = (0..<40).flatMap { _ in text }
            try await listener.write(sent)
            try await listener.finish()
            var count = 0
            for try await bytes in received { count += bytes.count }
            #expect(count == sent.count)
            await connector.close()
            await listener.close()
            await spy.close()
            let spied = await spying.value
            #expect(spied.count >= sent.count)
            #expect(Self.contains(spied, Array(text.prefix(12))) == !isEncrypted)
            await central.close()
            await peripheral.close()
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    @Test func `says what is wrong with a key or a passphrase`() async throws {
        try await check { world in
            let files = try Files(byteCount: 1)
            defer { files.remove() }
            let key = String(repeating: "0a", count: 32)
            let open = try files.write(key, to: "open")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
            let wrong = try files.write("a key", to: "wrong")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
            let short = try files.write("sesame\n", to: "short")
            let missing = files.path(of: "no/folder")
            for (options, status, words) in [
                (["--key", open], 77, "chmod 600"),
                (["--key", wrong], 65, "64 hexadecimal digits"),
                (["--key", "/dev/null"], 65, "64 hexadecimal digits"),
                (["--key", "/etc"], 66, "/etc: Is a directory"),
                (["--key", missing], 73, missing), (["--passphrase-file", missing], 66, missing),
                (["--passphrase-file", short], 65, "has 6 bytes"),
                (["--peer-key", "abc"], 64, "'abc' is no key"),
                (["--peer-key", key, key], 75, "nobody connected"),
                (["--insecure", "--key", wrong], 64, "--insecure does without"),
                (["--transport", "raw", "--key", wrong], 64, "--transport raw has none"),
            ] as [([String], Int32, String)] {
                let arguments = ["listen", "--adapter", "hci1", "--timeout", "1"] + options
                let outcome = await (try Tool("ble-socket", arguments, bus: world.bus.rawValue))
                    .end()
                #expect(outcome.status == status, "\(options): \(outcome)")
                #expect(outcome.errors.contains(words), "\(options): \(outcome)")
            }
        }
    }
}
