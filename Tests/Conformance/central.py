"""The central's program: the calls that a central makes."""

from application import UUIDS
from client import Client
from dbus_fast import Variant

# What makes every version report every advertisement.
EVERYTHING = {"Transport": Variant("s", "le"), "DuplicateData": Variant("b", True)}


class Central(Client):
    """A client that scans, connects, reads and writes on one adapter."""

    def find(self, name, device=""):
        """The path of a characteristic, service or descriptor, by the name of its UUID."""
        uuid = UUIDS.get(name, name)
        for path in sorted(self.objects, reverse=True):
            for properties in self.objects[path].values():
                if path.startswith(device) and properties.get("UUID") == uuid:
                    return path
        return None

    # Adapter1

    def filter(self, properties=EVERYTHING):
        return self.begin(self.hci, "Adapter1", "SetDiscoveryFilter", "a{sv}", [properties])

    def start_discovery(self, limit=15):
        return self.begin(self.hci, "Adapter1", "StartDiscovery", limit=limit)

    def stop_discovery(self):
        return self.begin(self.hci, "Adapter1", "StopDiscovery")

    def remove(self, device):
        return self.begin(self.hci, "Adapter1", "RemoveDevice", "o", [device])

    def power(self, on):
        return self.set(self.hci, "Adapter1", "Powered", Variant("b", on))

    # Device1

    def connect(self, device, limit=15):
        return self.begin(device, "Device1", "Connect", limit=limit)

    def disconnect(self, device):
        return self.begin(device, "Device1", "Disconnect")

    # GattCharacteristic1

    def read(self, path, limit=15, **options):
        return self.attribute(path, "ReadValue", "a{sv}", [self.options(options)], limit)

    def write(self, path, value, limit=15, **options):
        return self.attribute(path, "WriteValue", "aya{sv}", [value, self.options(options)], limit)

    def attribute(self, path, member, signature, body, limit):
        kind = "GattDescriptor1" if "/desc" in path else "GattCharacteristic1"
        return self.begin(path, kind, member, signature, body, limit)

    @staticmethod
    def options(options):
        return {
            name: Variant("q", value) if isinstance(value, int) else Variant("s", value)
            for name, value in options.items()
        }

    def start_notify(self, path):
        return self.begin(path, "GattCharacteristic1", "StartNotify")

    def stop_notify(self, path):
        return self.begin(path, "GattCharacteristic1", "StopNotify")

    def acquire(self, path, what):
        return self.begin(path, "GattCharacteristic1", f"Acquire{what}", "a{sv}", [{}])

    # Properties and ObjectManager

    def set(self, path, interface, name, value):
        return self.begin(path, "Properties", "Set", "ssv", [f"org.bluez.{interface}", name, value])

    def get_property(self, path, interface, name):
        return self.begin(path, "Properties", "Get", "ss", [f"org.bluez.{interface}", name])

    def get_all(self, path, interface):
        return self.begin(path, "Properties", "GetAll", "s", [f"org.bluez.{interface}"])

    def get_objects(self):
        return self.begin("/", "ObjectManager", "GetManagedObjects")
