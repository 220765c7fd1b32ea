/* The floor of a program's start: connects to the system bus, and asks BlueZ for its objects.

     start_floor --help     does nothing
     start_floor [COUNT]    asks COUNT times, once by default

   It prints a line of JSON: how many objects there are, how long each call took until all of the reply was
   read, its memory. Then it waits until its input ends, for whoever looks at its process. */
#include "bench.h"
#include <dbus/dbus.h>

static size_t objects;

static void count_objects(DBusMessage *reply) {
  DBusMessageIter it, dict;
  objects = 0;
  dbus_message_iter_init(reply, &it);
  dbus_message_iter_recurse(&it, &dict);
  for (; dbus_message_iter_get_arg_type(&dict); dbus_message_iter_next(&dict)) objects++;
}

int main(int argc, char **argv) {
  DBusError e = DBUS_ERROR_INIT;
  if (argc > 1 && !strcmp(argv[1], "--help")) return 0;
  int count = argc > 1 ? atoi(argv[1]) : 1;
  DBusConnection *c = dbus_bus_get(DBUS_BUS_SYSTEM, &e);
  if (!c) {
    fprintf(stderr, "start_floor: %s\n", e.message);
    return 1;
  }
  printf("{\"latencies_ns\":[");
  for (int i = 0; i < count; i++) {
    uint64_t begin = now_ns();
    DBusMessage *m = must(dbus_message_new_method_call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager",
                                                       "GetManagedObjects"), "new");
    DBusMessage *r = dbus_connection_send_with_reply_and_block(c, m, 60000, &e);
    if (!r) {
      fprintf(stderr, "start_floor: %s\n", e.message);
      return 1;
    }
    count_objects(r);
    dbus_message_unref(m);
    dbus_message_unref(r);
    printf(i ? ",%llu" : "%llu", (unsigned long long)(now_ns() - begin));
  }
  printf("],\"objects\":%zu,\"rss_kb\":%ld}\n", objects, peak_rss_kb());
  fflush(stdout);
  while (getchar() != EOF) {}
  return 0;
}
