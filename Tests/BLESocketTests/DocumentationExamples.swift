import BLE
import BLESocket
import BLETesting
import Testing

// The examples of BLESocket.docc.

private func echo(over radio: any PeripheralRadio) async throws {
    let socket = Socket(listeningOn: radio, .nordicUART)
    let received = await socket.received()
    try await socket.open()
    for try await bytes in received {
        try await socket.send(bytes)
    }
}

private func echoToSeveral(over radio: any PeripheralRadio) async throws {
    let listener = SocketListener(on: radio, .nordicUART)
    let events = await listener.events()
    try await listener.open()
    for await case .accepted(let socket) in events {
        Task {
            for try await bytes in await socket.received() { try await socket.write(bytes) }
            try await socket.finish()
        }
    }
}

private func ask(_ text: String, over radio: any CentralRadio) async throws -> String {
    let socket = Socket(connectingOver: radio, .nordicUART)
    let received = await socket.received()
    try await socket.open()
    try await socket.send(Array(text.utf8))
    var answer: [UInt8] = []
    for try await bytes in received {
        answer += bytes
        if answer.count >= text.utf8.count { break }
    }
    await socket.close()
    return String(decoding: answer, as: UTF8.self)
}

private func unlock(over radio: any PeripheralRadio, service: BluetoothUUID) async throws {
    let socket = Socket(listeningOn: radio, .keyless(service: service))
    let addOn = GeotabSocket(over: socket, as: .addOn(.keyless))
    try await addOn.open()
    try await addOn.send(Array("unlock".utf8))
    await addOn.close()
}

private func printWhatHappens(to addOn: GeotabSocket) async {
    for await event in await addOn.events() {
        switch event {
        case .connected(let deviceID, let flags): print("device \(deviceID), flags \(flags)")
        case .received(let bytes): print("\(bytes.count) bytes")
        case .receivedVehicleData(let data): print("\(data.speed) km/h")
        case .failedToReceive(let error): print(error)
        case .closed(let error): print(error.map { "\($0)" } ?? "closed")
        }
    }
}

@Suite("The documentation's examples of sockets", .timeLimit(.minutes(10)))
struct DocumentationExamples {
    @Test func `send back what was said`() async throws {
        let air = MemoryAir()
        let (phone, lamp) = (await air.radio("Phone"), await air.radio("Lamp"))
        let echoing = Task { try await echo(over: lamp) }
        #expect(try await ask("Hello, lamp", over: phone) == "Hello, lamp")
        await #expect { try await echoing.value } throws: {
            ($0 as? SocketError)?.code == .lostConnection
        }
    }

    @Test func `unlock a vehicle`() async throws {
        let service: BluetoothUUID = "42B20191-092E-4B85-B0CA-1012F6AC783A"
        let air = MemoryAir()
        let (phone, vehicle) = (await air.radio("Phone"), await air.radio("Vehicle"))
        let device = GeotabSocket(
            over: Socket(connectingOver: vehicle, .keyless(service: service)),
            as: .device(GeotabDevice.Configuration())
        )
        let printing = Task { await printWhatHappens(to: device) }
        let unlocking = Task { try await unlock(over: phone, service: service) }
        try await device.open()
        // It returns when the device has said that it could use the message.
        try await unlocking.value
        await device.close()
        await printing.value
    }
}
