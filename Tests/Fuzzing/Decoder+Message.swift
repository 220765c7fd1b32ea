import CBLEDBus

@testable import BLEDBus

/// A whole message, first as libdbus lets it through, then as it is.
@Sendable func decodeMessage(_ input: UnsafeRawBufferPointer) {
    decodeChecked(input)
    var strings = StringCache()
    let wire = WireBytes(copying: Array(input))
    guard let message = try? MessageHeader.unmarshal(wire, [], &strings) else { return }
    // libdbus has not seen it, so its signature may be none.
    guard Signature.isValid(message.signature.rawValue) else { return }
    _ = try? message.body()
    _ = try? message.read { (reader) throws(BusError) in
        while reader.nextType != 0 { try reader.skip() }
    }
}

/// What libdbus takes for a message must be one for us, and stay the same when it is sent on.
private func decodeChecked(_ input: UnsafeRawBufferPointer) {
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    let characters = input.assumingMemoryBound(to: CChar.self).baseAddress
    guard let pointer = dbus_message_demarshal(characters, Int32(input.count), &error) else {
        return
    }
    let raw = RawMessage(owning: pointer)
    var strings = StringCache()
    do {
        guard let message = try raw.value(&strings) else { return }
        let body: [Value]
        do {
            body = try message.body()
        } catch {
            // A descriptor that did not come along.
            precondition(message.signature.rawValue.contains("h") || holdsVariants(message))
            return
        }
        for value in body { checkRoundTrip(value) }
    } catch {
        preconditionFailure("libdbus takes a message that is refused here: \(error)")
    }
}

private func holdsVariants(_ message: Message) -> Bool {
    message.signature.rawValue.contains("v")
}

private func checkRoundTrip(_ value: Value) {
    var writer = MessageWriter()
    do {
        try writer.write(value)
    } catch {
        preconditionFailure("\(value) was received and can't be sent: \(error)")
    }
    let types = Array(value.signature.rawValue.utf8)
    let isSame = types.withUnsafeBufferPointer { types in
        var reader = MessageReader(
            WireBytes(copying: writer.finish()),
            types: types,
            isSwapped: false
        )
        return (try? reader.readValue()).map { "\($0)" == "\(value)" } ?? false
    }
    precondition(isSame, "\(value) is another one when it is sent and received")
}
