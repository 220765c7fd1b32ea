/* The floor of a scan: starts a discovery with libdbus and counts what is sighted.

     scan_floor ADAPTER    (an object path)

   For each line on standard input it replies with a line of JSON on the time since the line before: how
   many signals of devices came, and what the process took for them. It reads of each signal whose it is and
   the RSSI, as any scanner has to. It ends with its input. */
#include "bench.h"
#include <dbus/dbus.h>
#include <poll.h>

static DBusConnection *c;
static uint64_t sightings;
static long long strengths;

static void add_match(const char *format, const char *path) {
  char rule[256];
  snprintf(rule, sizeof rule, format, path);
  dbus_bus_add_match(c, rule, NULL);
}

static void call_adapter(const char *path, const char *member) {
  DBusMessage *m = must(dbus_message_new_method_call("org.bluez", path, "org.bluez.Adapter1", member), member);
  if (!strcmp(member, "SetDiscoveryFilter")) {
    DBusMessageIter it, dict, entry, value;
    const char *keys[] = {"Transport", "DuplicateData"}, *le = "le";
    dbus_bool_t yes = TRUE;
    dbus_message_iter_init_append(m, &it);
    dbus_message_iter_open_container(&it, DBUS_TYPE_ARRAY, "{sv}", &dict);
    for (int i = 0; i < 2; i++) {
      dbus_message_iter_open_container(&dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
      dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &keys[i]);
      dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, i ? "b" : "s", &value);
      if (i) dbus_message_iter_append_basic(&value, DBUS_TYPE_BOOLEAN, &yes);
      else dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &le);
      dbus_message_iter_close_container(&entry, &value);
      dbus_message_iter_close_container(&dict, &entry);
    }
    dbus_message_iter_close_container(&it, &dict);
  }
  dbus_connection_send(c, m, NULL);
  dbus_message_unref(m);
}

/* Reads the RSSI in the properties of a device. */
static void take_properties(DBusMessageIter *dict) {
  for (; dbus_message_iter_get_arg_type(dict); dbus_message_iter_next(dict)) {
    DBusMessageIter entry, value;
    const char *key;
    dbus_int16_t rssi;
    dbus_message_iter_recurse(dict, &entry);
    dbus_message_iter_get_basic(&entry, &key);
    if (strcmp(key, "RSSI")) continue;
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &value);
    dbus_message_iter_get_basic(&value, &rssi);
    sightings++;
    strengths += rssi;
  }
}

static void take(DBusMessage *m) {
  DBusMessageIter it, dict, entry, properties;
  const char *interface;
  if (dbus_message_get_type(m) == DBUS_MESSAGE_TYPE_ERROR) {
    fprintf(stderr, "scan_floor: %s\n", dbus_message_get_error_name(m));
    exit(1);
  }
  dbus_message_iter_init(m, &it);
  if (dbus_message_is_signal(m, PROPS, "PropertiesChanged")) {
    dbus_message_iter_get_basic(&it, &interface);
    if (strcmp(interface, "org.bluez.Device1")) return;
    dbus_message_iter_next(&it);
    dbus_message_iter_recurse(&it, &dict);
    take_properties(&dict);
  } else if (dbus_message_is_signal(m, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded")) {
    dbus_message_iter_next(&it);
    dbus_message_iter_recurse(&it, &dict);
    for (; dbus_message_iter_get_arg_type(&dict); dbus_message_iter_next(&dict)) {
      dbus_message_iter_recurse(&dict, &entry);
      dbus_message_iter_get_basic(&entry, &interface);
      if (strcmp(interface, "org.bluez.Device1")) continue;
      dbus_message_iter_next(&entry);
      dbus_message_iter_recurse(&entry, &properties);
      take_properties(&properties);
    }
  }
}

int main(int argc, char **argv) {
  DBusError e = DBUS_ERROR_INIT;
  uint64_t wall, cpu;
  char line[64];
  int fd;
  if (argc != 2 || !(c = dbus_bus_get_private(DBUS_BUS_SYSTEM, &e))) {
    fprintf(stderr, "scan_floor ADAPTER: %s\n", argc == 2 ? e.message : "one path");
    return 1;
  }
  dbus_connection_set_exit_on_disconnect(c, FALSE);
  dbus_connection_set_max_received_size(c, 1 << 30);
  add_match("type='signal',sender='org.bluez',interface='" PROPS "',path_namespace='%s'", argv[1]);
  add_match("type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager',path='/'%.0s", "");
  call_adapter(argv[1], "SetDiscoveryFilter");
  call_adapter(argv[1], "StartDiscovery");
  dbus_connection_flush(c);
  dbus_connection_get_unix_fd(c, &fd);
  setvbuf(stdin, NULL, _IONBF, 0);
  printf("ready\n");
  fflush(stdout);
  wall = now_ns();
  cpu = cpu_ns();
  for (;;) {
    struct pollfd both[] = {{fd, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    DBusMessage *m;
    poll(both, 2, -1);
    if (both[0].revents && !dbus_connection_read_write(c, 0)) return 1;
    while ((m = dbus_connection_pop_message(c))) {
      take(m);
      dbus_message_unref(m);
    }
    if (!both[1].revents) continue;
    if (!fgets(line, sizeof line, stdin)) return 0;
    printf("{\"wall_ns\":%llu,\"cpu_ns\":%llu,\"sightings\":%llu,\"rss_kb\":%ld,\"check\":%lld}\n",
           (unsigned long long)(now_ns() - wall), (unsigned long long)(cpu_ns() - cpu),
           (unsigned long long)sightings, peak_rss_kb(), strengths);
    fflush(stdout);
    wall = now_ns();
    cpu = cpu_ns();
    sightings = 0;
  }
}
