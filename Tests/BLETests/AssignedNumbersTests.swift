import BLE
import Testing

/// The numbers of the Core specification, which peers and BlueZ use too.
@Suite("Assigned numbers")
struct AssignedNumbersTests {
    @Test(
        arguments: [
            (.read, 0x02), (.writeWithoutResponse, 0x04), (.write, 0x08), (.notify, 0x10),
            (.indicate, 0x20),
        ] as [(CharacteristicProperties, UInt8)]
    )
    func `each property of a characteristic is its bit in the declaration`(
        property: CharacteristicProperties,
        bit: UInt8
    ) {
        #expect(property.rawValue == bit)
    }

    @Test(
        arguments: [
            (.invalidHandle, 0x01), (.readNotPermitted, 0x02), (.writeNotPermitted, 0x03),
            (.requestNotSupported, 0x06), (.invalidOffset, 0x07),
            (.insufficientAuthorization, 0x08), (.attributeNotFound, 0x0A),
            (.invalidValueLength, 0x0D), (.unlikelyError, 0x0E), (.databaseOutOfSync, 0x12),
            (.improperlyConfigured, 0xFD), (.procedureAlreadyInProgress, 0xFE),
        ] as [(ATTError, UInt8)]
    )
    func `each reason of a refusal is its ATT error code`(error: ATTError, code: UInt8) {
        #expect(error.rawValue == code)
    }
}
