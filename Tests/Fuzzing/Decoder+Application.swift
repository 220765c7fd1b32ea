import BLEDBus

@testable import VirtualBlueZ

/// An application's objects, as a virtual BlueZ reads them back when it is registered.
@Sendable func decodeApplication(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    let id = RegisteredApplication.ID(owner: ":1.1", root: "/org/bluez/hci0")
    guard source.byte() % 8 != 0 else {
        _ = try? RegisteredApplication(id, objects: source.value())
        return
    }
    var objects: [Value.Entry] = []
    while !source.isEmpty {
        let path = Value.objectPath(source.path())
        let interfaces = (0..<source.number(below: 3)).map { _ in
            Value.Entry(.string(source.interface()), .properties(source.properties()))
        }
        objects.append(Value.Entry(path, .dictionary(key: "s", value: "a{sv}", interfaces)))
    }
    let tree = Value.dictionary(key: "o", value: "a{sa{sv}}", objects)
    guard let application = try? RegisteredApplication(id, objects: tree) else { return }
    precondition(!application.services.isEmpty, "an application without a service is registered")
    precondition(application.uuids.count == application.services.count)
}
