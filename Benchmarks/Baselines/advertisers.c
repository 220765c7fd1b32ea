/* A crowd that one adapter receives, without the rest of a bluetoothd, as a double of one takes more time for a
   sighting than those that are measured.

     advertisers COUNT SIGHTINGS    so many devices, so many sightings of them a second

   It owns org.bluez with the adapter hci0. While somebody discovers, the devices advertise in turn, each time
   with another RSSI. It says "ready". For each line on standard input it says how many sightings it has sent
   since the line before, and what that took; it ends with its input. */
#include "bench.h"
#include <dbus/dbus.h>
#include <poll.h>

#define ADAPTER "org.bluez.Adapter1"
#define DEVICE "org.bluez.Device1"
#define MANAGER "org.freedesktop.DBus.ObjectManager"
#define ADAPTER_PATH "/org/bluez/hci0"
/* More than this is not sent ahead of what the bus has taken. */
#define BACKLOG (1 << 20)

static DBusConnection *c;
static unsigned count;
static double rate;
static unsigned char *is_known;
static int is_discovering;
static uint64_t next, sightings;

static void open_entry(DBusMessageIter *dict, DBusMessageIter *entry, const char *key) {
  dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, entry);
  dbus_message_iter_append_basic(entry, DBUS_TYPE_STRING, &key);
}

static void property(DBusMessageIter *dict, const char *key, const char *type, const void *value) {
  DBusMessageIter entry, variant;
  open_entry(dict, &entry, key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, type, &variant);
  dbus_message_iter_append_basic(&variant, *type, value);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(dict, &entry);
}

static void text(DBusMessageIter *dict, const char *key, const char *value) {
  property(dict, key, "s", &value);
}

static void flag(DBusMessageIter *dict, const char *key, dbus_bool_t value) {
  property(dict, key, "b", &value);
}

static void rssi_of(DBusMessageIter *dict) {
  dbus_int16_t rssi = (dbus_int16_t)(-60 - (int)(next * 7 % 31));
  property(dict, "RSSI", "n", &rssi);
}

static void address_of(unsigned device, char separator, char *address) {
  snprintf(address, 18, "C0%cFF%cEE%c%02X%c%02X%c%02X", separator, separator, separator, device >> 16 & 255,
           separator, device >> 8 & 255, separator, device & 255);
}

static const char *path_of(unsigned device) {
  static char path[64];
  memcpy(path, ADAPTER_PATH "/dev_", sizeof ADAPTER_PATH "/dev_");
  address_of(device, '_', path + strlen(path));
  return path;
}

static void adapter_properties(DBusMessageIter *it) {
  DBusMessageIter dict;
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "{sv}", &dict);
  text(&dict, "Address", "00:AA:01:00:00:00");
  text(&dict, "AddressType", "public");
  flag(&dict, "Powered", TRUE);
  flag(&dict, "Discovering", is_discovering);
  dbus_message_iter_close_container(it, &dict);
}

static void device_properties(DBusMessageIter *it, unsigned device) {
  DBusMessageIter dict;
  char address[18], name[32];
  const char *adapter = ADAPTER_PATH;
  address_of(device, ':', address);
  snprintf(name, sizeof name, "Device %u", device);
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "{sv}", &dict);
  text(&dict, "Address", address);
  text(&dict, "AddressType", "random");
  text(&dict, "Name", name);
  text(&dict, "Alias", name);
  flag(&dict, "Connected", FALSE);
  flag(&dict, "ServicesResolved", FALSE);
  property(&dict, "Adapter", "o", &adapter);
  rssi_of(&dict);
  dbus_message_iter_close_container(it, &dict);
}

/* An object's one interface, `a{sa{sv}}`; the adapter's for a device below 0. */
static void interfaces(DBusMessageIter *it, int device) {
  DBusMessageIter dict, entry;
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "{sa{sv}}", &dict);
  open_entry(&dict, &entry, device < 0 ? ADAPTER : DEVICE);
  if (device < 0) adapter_properties(&entry);
  else device_properties(&entry, (unsigned)device);
  dbus_message_iter_close_container(&dict, &entry);
  dbus_message_iter_close_container(it, &dict);
}

static void object(DBusMessageIter *it, int device) {
  const char *path = device < 0 ? ADAPTER_PATH : path_of((unsigned)device);
  dbus_message_iter_append_basic(it, DBUS_TYPE_OBJECT_PATH, &path);
  interfaces(it, device);
}

static void objects(DBusMessageIter *it) {
  DBusMessageIter dict, entry;
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "{oa{sa{sv}}}", &dict);
  for (int device = -1; device < (int)count; device++) {
    if (device >= 0 && !is_known[device]) continue;
    dbus_message_iter_open_container(&dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    object(&entry, device);
    dbus_message_iter_close_container(&dict, &entry);
  }
  dbus_message_iter_close_container(it, &dict);
}

/* Opens a PropertiesChanged, whose changes are then appended, and which `send_changes` sends. */
static DBusMessage *open_changes(const char *path, const char *interface, DBusMessageIter *it,
                                 DBusMessageIter *dict) {
  DBusMessage *m = must(dbus_message_new_signal(path, PROPS, "PropertiesChanged"), "new");
  dbus_message_iter_init_append(m, it);
  dbus_message_iter_append_basic(it, DBUS_TYPE_STRING, &interface);
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "{sv}", dict);
  return m;
}

static void send_changes(DBusMessage *m, DBusMessageIter *it, DBusMessageIter *dict) {
  DBusMessageIter invalidated;
  dbus_message_iter_close_container(it, dict);
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "s", &invalidated);
  dbus_message_iter_close_container(it, &invalidated);
  dbus_connection_send(c, m, NULL);
  dbus_message_unref(m);
}

static void discover(int on) {
  DBusMessageIter it, dict;
  DBusMessage *m = open_changes(ADAPTER_PATH, ADAPTER, &it, &dict);
  is_discovering = on;
  flag(&dict, "Discovering", on);
  send_changes(m, &it, &dict);
}

static void advertise(void) {
  unsigned device = (unsigned)(next++ % count);
  DBusMessageIter it, dict;
  if (is_known[device]) {
    DBusMessage *m = open_changes(path_of(device), DEVICE, &it, &dict);
    rssi_of(&dict);
    send_changes(m, &it, &dict);
  } else {
    DBusMessage *m = must(dbus_message_new_signal("/", MANAGER, "InterfacesAdded"), "new");
    dbus_message_iter_init_append(m, &it);
    object(&it, (int)device);
    dbus_connection_send(c, m, NULL);
    dbus_message_unref(m);
    is_known[device] = 1;
  }
  sightings++;
}

/* The device that an object path names; -1 for the adapter. */
static int device_at(const char *path) {
  unsigned high, middle, low;
  const char *address = strstr(path, "/dev_");
  if (!address || sscanf(address, "/dev_C0_FF_EE_%x_%x_%x", &high, &middle, &low) != 3) return -1;
  return (int)(high << 16 | middle << 8 | low);
}

static void handle(DBusMessage *m) {
  const char *member = dbus_message_get_member(m), *name, *old, *new;
  static char discoverer[64];
  DBusMessageIter it;
  if (dbus_message_is_signal(m, DBUS_INTERFACE_DBUS, "NameOwnerChanged")) {
    dbus_message_get_args(m, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &old, DBUS_TYPE_STRING, &new,
                          DBUS_TYPE_INVALID);
    if (is_discovering && !*new && !strcmp(name, discoverer)) discover(0);
  }
  if (dbus_message_get_type(m) != DBUS_MESSAGE_TYPE_METHOD_CALL) return;
  DBusMessage *r = must(dbus_message_new_method_return(m), "reply");
  dbus_message_iter_init_append(r, &it);
  if (!strcmp(member, "GetManagedObjects")) objects(&it);
  else if (!strcmp(member, "GetAll") && device_at(dbus_message_get_path(m)) < 0) adapter_properties(&it);
  else if (!strcmp(member, "GetAll")) device_properties(&it, (unsigned)device_at(dbus_message_get_path(m)));
  dbus_connection_send(c, r, NULL);
  dbus_message_unref(r);
  if (!strcmp(member, "StartDiscovery")) {
    snprintf(discoverer, sizeof discoverer, "%s", dbus_message_get_sender(m));
    discover(1);
  } else if (!strcmp(member, "StopDiscovery")) {
    discover(0);
  }
}

/* Sends what is due, as far as the bus takes it: what it does not take is not made up for. */
static void advertise_until(uint64_t now, uint64_t *last) {
  double due = (double)(now - *last) / 1e9 * rate;
  if (due < 1) return;
  *last = now;
  while (is_discovering && due-- >= 1 && dbus_connection_get_outgoing_size(c) < BACKLOG) advertise();
}

int main(int argc, char **argv) {
  DBusError e = DBUS_ERROR_INIT;
  uint64_t wall = now_ns(), cpu = cpu_ns(), last = wall;
  char line[64];
  int fd;
  if (argc != 3) return 64;
  count = (unsigned)atoi(argv[1]);
  rate = atof(argv[2]);
  is_known = must(calloc(count, 1), "calloc");
  c = must(dbus_bus_get_private(DBUS_BUS_SYSTEM, &e), "connecting to the bus");
  dbus_connection_set_exit_on_disconnect(c, FALSE);
  dbus_bus_add_match(c, "type='signal',member='NameOwnerChanged'", NULL);
  if (dbus_bus_request_name(c, "org.bluez", 0, &e) != DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER) return 1;
  dbus_connection_get_unix_fd(c, &fd);
  setvbuf(stdin, NULL, _IONBF, 0);
  printf("ready\n");
  fflush(stdout);
  for (;;) {
    short events = POLLIN | (dbus_connection_has_messages_to_send(c) ? POLLOUT : 0);
    struct pollfd both[] = {{fd, events, 0}, {STDIN_FILENO, POLLIN, 0}};
    DBusMessage *m;
    poll(both, 2, is_discovering ? 1 : -1);
    if (!dbus_connection_read_write(c, 0)) return 1;
    while ((m = dbus_connection_pop_message(c))) {
      handle(m);
      dbus_message_unref(m);
    }
    advertise_until(now_ns(), &last);
    if (!both[1].revents) continue;
    if (!fgets(line, sizeof line, stdin)) return 0;
    printf("{\"wall_ns\":%llu,\"cpu_ns\":%llu,\"sightings\":%llu}\n", (unsigned long long)(now_ns() - wall),
           (unsigned long long)(cpu_ns() - cpu), (unsigned long long)sightings);
    fflush(stdout);
    wall = now_ns();
    cpu = cpu_ns();
    sightings = 0;
  }
}
