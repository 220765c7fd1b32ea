import BLE
import BLEDBus
import BLETesting

@testable import BlueZ

// What org.bluez says, as a bluetoothd could.
extension AdapterWorld {
    /// Which calls may be answered next: of each object the first one.
    func answerable() async -> [Int] {
        var paths: Set<ObjectPath?> = []
        let calls = await daemon?.keptCalls() ?? []
        return calls.indices.filter { paths.insert(calls[$0].message.path).inserted }
    }

    /// Answers one of the calls that wait.
    func answer(at index: Int, refusing: Bool) async {
        guard let daemon, case let calls = await daemon.keptCalls(), index < calls.count else {
            return
        }
        let message = calls[index].message
        let name = message.member ?? ""
        // What undoes something is never refused: bluetoothd does so only when there is nothing to undo.
        let mayFail =
            !name.hasPrefix("Stop") && !name.hasPrefix("Un") && name != "Disconnect"
            && name != "RemoveDevice"
        let isDoubled = name == "StartDiscovery" && isDiscovering
        let isOff = !isPowered && Self.needsPower.contains(name)
        guard !(refusing && mayFail), !isDoubled, !isOff else {
            note("refused: \(name)")
            let errors: [ErrorName] = [
                BlueZError.failed, BlueZError.notReady, BlueZError.inProgress,
            ]
            let any = dice.element(of: errors) ?? BlueZError.failed
            let error = ErrorReply(isDoubled ? BlueZError.inProgress : any, "as the seed wants")
            return await daemon.reply(at: index) { $0.fail(error) }
        }
        note("done: \(name)")
        await carryOut(name, message, daemon)
        await daemon.reply(at: index) { $0.reply(name == "ReadValue" ? [.bytes([42])] : []) }
        if name == "RemoveDevice" { await endAttempts(daemon) }
        if name == "Disconnect" || name == "RemoveDevice" { await drop(answering: true) }
    }

    /// A device that is removed is not connected to any more, whenever that was asked for.
    private func endAttempts(_ daemon: ScriptedDaemon) async {
        while let index = await daemon.keptCalls().firstIndex(where: {
            $0.message.member == "Connect"
        }) {
            note("refused: Connect")
            let error = ErrorReply(BlueZError.failed, "as the device is removed")
            await daemon.reply(at: index) { $0.fail(error) }
        }
    }

    private static let needsPower: Set = [
        "StartDiscovery", "Connect", "StartNotify", "WriteValue", "ReadValue",
        "RegisterAdvertisement",
    ]

    private func carryOut(_ name: String, _ message: Message, _ daemon: ScriptedDaemon) async {
        let path = message.path ?? .root
        let argument = (try? message.body())?.first?.objectPath ?? .root
        switch name {
        case "StartDiscovery":
            isDiscovering = true
        case "StopDiscovery": isDiscovering = false
        case "Connect":
            isConnected = true
            await set(["Connected": .bool(true)])
        case "StartNotify": if isResolved { notifying.insert(path) }
        case "StopNotify": notifying.remove(path)
        case "RegisterApplication", "RegisterAdvertisement": registered.insert(argument)
        case "UnregisterApplication", "UnregisterAdvertisement": registered.remove(argument)
        default: break
        }
    }

    private func set(
        _ properties: [String: Value?],
        of interface: String = Device1.interface,
        at path: ObjectPath = ScriptedDaemon.device
    ) async {
        do {
            try await daemon?.set(properties, of: interface, at: path)
        } catch {
            fault("org.bluez could not tell \(properties): \(error)")
        }
    }

    /// The device's services are known.
    func resolve() async {
        guard let daemon, isConnected, !isResolved else { return }
        isResolved = true
        note("the services are resolved")
        do {
            try await daemon.addServices()
        } catch {
            fault("org.bluez could not add services: \(error)")
        }
        await set(["ServicesResolved": .bool(true)])
    }

    /// The link ends; calls over it are refused, or never answered.
    func drop(answering: Bool? = nil) async {
        guard let daemon, isConnected else { return }
        note("the link ends")
        let wasResolved = isResolved
        isConnected = false
        isResolved = false
        notifying = []
        if answering ?? dice.chance(70) {
            await refuseAll {
                ["ReadValue", "WriteValue", "StartNotify", "StopNotify"].contains($0)
            }
        }
        await set(["ServicesResolved": .bool(false)])
        await set(["Connected": .bool(false)])
        if wasResolved { await removeServices(daemon) }
    }

    /// Refuses calls that can no longer be carried out; some versions leave such without a reply.
    private func refuseAll(_ isMeant: (String) -> Bool) async {
        let isSilent = dice.chance(30)
        while let daemon,
            let index = await daemon.keptCalls().firstIndex(where: {
                isMeant($0.message.member ?? "")
            })
        {
            let error = ErrorReply(BlueZError.failed, "as the seed wants")
            await daemon.reply(at: index) { if !isSilent { $0.fail(error) } }
        }
    }

    /// The ball takes its service back, and keeps the link.
    func withdrawService() async {
        guard let daemon, isResolved else { return }
        note("the service goes")
        isResolved = false
        notifying = []
        await removeServices(daemon)
    }

    private func removeServices(_ daemon: ScriptedDaemon) async {
        do {
            try await daemon.remove(
                ScriptedDaemon.answer,
                ScriptedDaemon.question,
                ScriptedDaemon.service
            )
        } catch {
            fault("org.bluez could not remove services: \(error)")
        }
    }

    func hear() async {
        do {
            try await daemon?.hear(Int16(dice.number(in: -90 ... -30)))
        } catch {
            fault("org.bluez could not tell a strength: \(error)")
        }
    }

    func notify() async {
        guard isResolved else { return }
        await set(
            ["Value": .bytes([UInt8(dice.number(in: 0...255))])],
            of: GattCharacteristic1.interface,
            at: ScriptedDaemon.answer
        )
    }

    func setPower(_ isOn: Bool) async {
        guard daemon != nil, isOn != isPowered else { return }
        note("the power goes \(isOn ? "on" : "off")")
        isPowered = isOn
        if isOn {
            // What came meanwhile was refused. A discovery may have been asked for just before.
            await settle()
            await refuseAll { $0 != "StartDiscovery" && Self.needsPower.contains($0) }
        } else {
            isDiscovering = false
            await drop()
            await refuseAll { Self.needsPower.contains($0) || $0 == "Disconnect" }
        }
        await set(["Powered": .bool(isOn)], of: Adapter1.interface, at: ScriptedDaemon.adapter)
    }

    /// bluetoothd crashes, and with it all that it had.
    func crash() async {
        guard let daemon else { return }
        note("org.bluez goes")
        clientsOfLast = await daemon.clients
        self.daemon = nil
        isPowered = true
        (isConnected, isResolved, isDiscovering) = (false, false, false)
        notifying = []
        registered = []
        await daemon.stop()
    }

    /// bluetoothd is back.
    func comeBack() async {
        guard daemon == nil else { return }
        note("org.bluez is back")
        do {
            let daemon = try await ScriptedDaemon(on: bus)
            await daemon.know(clientsOfLast)
            await daemon.keepAll()
            self.daemon = daemon
        } catch {
            fault("org.bluez could not come back: \(error)")
        }
    }
}
