/// What the interfaces of org.bluez are called.
enum InterfaceName {
    static let adapter1 = "org.bluez.Adapter1"
    static let advertisement1 = "org.bluez.LEAdvertisement1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let bearer = "org.bluez.Bearer.LE1"
    static let characteristic1 = "org.bluez.GattCharacteristic1"
    static let descriptor1 = "org.bluez.GattDescriptor1"
    static let device1 = "org.bluez.Device1"
    static let media1 = "org.bluez.Media1"
    static let service1 = "org.bluez.GattService1"
}
