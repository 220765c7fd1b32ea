import BLE
import BLEDBus
import Testing

@testable import BlueZ

@Suite("The services of a remote device")
struct RemoteServicesTests {
    private static let service: ObjectPath = "/dev/service0015"
    private static let question: ObjectPath = "/dev/service0015/char0016"
    private static let answer: ObjectPath = "/dev/service0015/char0018"
    private static let uuid = BluetoothUUID(assignedNumber: 0x1111)
    private static let questionID = AttributeID(
        service: uuid,
        characteristic: BluetoothUUID(assignedNumber: 0x2222)
    )

    private func addService(_ path: ObjectPath, to services: inout RemoteServices) {
        services.add(path, GattService1.interface, PropertyMap(["UUID": .string("1111")]))
    }

    private func addCharacteristic(
        _ path: ObjectPath,
        _ uuid: String,
        of service: ObjectPath = service,
        to services: inout RemoteServices
    ) {
        let properties: [String: Value] = [
            "UUID": .string(uuid), "Service": .objectPath(service), "MTU": .uint16(100),
            "Flags": .strings(["write"]),
        ]
        services.add(path, GattCharacteristic1.interface, PropertyMap(properties))
    }

    private func ball() -> RemoteServices {
        var services = RemoteServices()
        // In no order: a parent may come after its child.
        addCharacteristic(Self.answer, "3333", to: &services)
        addService(Self.service, to: &services)
        addCharacteristic(Self.question, "2222", to: &services)
        return services
    }

    @Test func `stand in the order of their handles`() {
        var services = ball()
        #expect(services.all.map(\.uuid) == [Self.uuid])
        let found = services.all.first?.characteristics ?? []
        #expect(
            found == [
                GATTCharacteristic(
                    uuid: BluetoothUUID(assignedNumber: 0x2222),
                    properties: .write
                ),
                GATTCharacteristic(
                    uuid: BluetoothUUID(assignedNumber: 0x3333),
                    properties: .write
                ),
            ]
        )
        #expect(services.mtuBytes == 100)
        #expect(services.path(of: Self.questionID) == Self.question)
        #expect(services.id(at: Self.question) == Self.questionID)
        #expect(RemoteServices().mtuBytes == 23)
    }

    @Test func `go once, with the first of their objects`() {
        var services = ball()
        let interface = GattCharacteristic1.interface
        let gone = services.remove(Self.question, interface)
        #expect(gone?.uuid == Self.uuid)
        #expect(gone?.characteristics == [Self.question, Self.answer])
        #expect(services.all.isEmpty)
        #expect(services.path(of: Self.questionID) == nil)
        #expect(services.wasWithdrawn(Self.uuid))
        #expect(services.remove(Self.answer, interface) == nil)
        #expect(services.remove(Self.service, GattService1.interface) == nil)
        #expect(services.uuids.isEmpty)
    }

    @Test func `come again at other paths`() {
        var services = ball()
        let gone = services.remove(Self.service, GattService1.interface)
        #expect(gone?.uuid == Self.uuid)
        addService("/dev/service001b", to: &services)
        addCharacteristic(
            "/dev/service001b/char001c",
            "2222",
            of: "/dev/service001b",
            to: &services
        )
        #expect(services.path(of: Self.questionID) == "/dev/service001b/char001c")
        #expect(!services.wasWithdrawn(Self.uuid))
    }

    @Test func `are not taken back when they are at other paths already`() {
        var services = ball()
        addService("/dev/service001b", to: &services)
        let gone = services.remove(Self.answer, GattCharacteristic1.interface)
        #expect(gone?.uuid == Self.uuid)
        #expect(services.broken == [Self.service])
        #expect(!services.isIncomplete)
        #expect(services.remove(Self.service, GattService1.interface) == nil)
        #expect(services.uuids == [Self.uuid])
        #expect(services.broken.isEmpty)
        _ = services.remove("/dev/service001b", GattService1.interface)
        #expect(services.isIncomplete)
    }

    @Test func `take a new packet size`() {
        var services = ball()
        let properties = PropertyMap(["MTU": .uint16(517)])
        services.change(GattCharacteristic1(path: Self.answer, properties: properties))
        #expect(services.mtuBytes == 517)
    }

    @Test func `forget the packet size of an earlier link, and know whom to ask for it`() {
        var services = ball()
        #expect(services.pathWithoutMTU == nil)
        services.forgetMTU()
        #expect(services.mtuBytes == 23)
        #expect(services.pathWithoutMTU == Self.question)
        services.learn(mtuBytes: 185)
        #expect(services.mtuBytes == 185)
        #expect(services.pathWithoutMTU == nil)
    }

    @Test func `leave out what is no service`() {
        var services = RemoteServices()
        services.add(Self.service, GattService1.interface, PropertyMap(["UUID": .string("?")]))
        addCharacteristic(Self.question, "?", to: &services)
        services.add(Self.answer, "org.bluez.GattDescriptor1", PropertyMap())
        #expect(services.all.isEmpty)
        #expect(services.remove(Self.answer, "org.bluez.GattDescriptor1") == nil)
        #expect(services.remove(Self.service, GattService1.interface) == nil)
    }
}
