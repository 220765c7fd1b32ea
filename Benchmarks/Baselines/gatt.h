/* What the baselines on libdbus say of a characteristic of BlueZ. */
#ifndef GATT_H
#define GATT_H
#include "bench.h"
#include <dbus/dbus.h>

#define CHARACTERISTIC "org.bluez.GattCharacteristic1"

static inline DBusMessage *call_to(const char *path, const char *member) {
  return must(dbus_message_new_method_call("org.bluez", path, CHARACTERISTIC, member), member);
}

/* The options of a call: the type of a write, or none. */
static inline void append_options(DBusMessageIter *it, const char *type) {
  DBusMessageIter options, entry, value;
  const char *key = "type";
  dbus_message_iter_open_container(it, DBUS_TYPE_ARRAY, "{sv}", &options);
  if (type) {
    dbus_message_iter_open_container(&options, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
    dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &value);
    dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &type);
    dbus_message_iter_close_container(&entry, &value);
    dbus_message_iter_close_container(&options, &entry);
  }
  dbus_message_iter_close_container(it, &options);
}

/* WriteValue, as a "request" or a "command". */
static inline DBusMessage *write_to(const char *path, const unsigned char *bytes, int size, const char *type) {
  DBusMessage *m = call_to(path, "WriteValue");
  DBusMessageIter it, array;
  dbus_message_iter_init_append(m, &it);
  dbus_message_iter_open_container(&it, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, size);
  dbus_message_iter_close_container(&it, &array);
  append_options(&it, type);
  return m;
}

/* The value of a notification and its size; 0 when the message is none. */
static inline int notified_value(DBusMessage *m, const unsigned char **bytes) {
  DBusMessageIter it, changes, entry, value, array;
  const char *key;
  int size = 0;
  if (!dbus_message_is_signal(m, PROPS, "PropertiesChanged")) return 0;
  dbus_message_iter_init(m, &it);
  dbus_message_iter_next(&it);
  dbus_message_iter_recurse(&it, &changes);
  for (; dbus_message_iter_get_arg_type(&changes); dbus_message_iter_next(&changes)) {
    dbus_message_iter_recurse(&changes, &entry);
    dbus_message_iter_get_basic(&entry, &key);
    if (strcmp(key, "Value")) continue;
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &value);
    dbus_message_iter_recurse(&value, &array);
    dbus_message_iter_get_fixed_array(&array, bytes, &size);
  }
  return size;
}

/* Has the bus tell of the notifications of a characteristic. */
static inline void match_values(DBusConnection *c, const char *path) {
  char match[512];
  DBusError e = DBUS_ERROR_INIT;
  snprintf(match, sizeof match, "type='signal',sender='org.bluez',interface='" PROPS "',path='%s'", path);
  dbus_bus_add_match(c, match, &e);
  must(dbus_error_is_set(&e) ? NULL : c, match);
}
#endif
