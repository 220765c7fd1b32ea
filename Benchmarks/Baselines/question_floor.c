/* The floor of a question: an asker on libdbus that makes the fewest calls of which BlueZ knows, one
   after the other, over a link that is there.

     question_floor plain   QUESTION ANSWER        StartNotify, WriteValue, the signal, StopNotify
     question_floor kept    QUESTION ANSWER        WriteValue, the signal
     question_floor private PRIVATE_QUESTION REPLY WriteValue, the signal, ReadValue

   with the object paths of the two characteristics. It asks as asking.h says. StopNotify is waited for when
   the next question is asked, as a user waits for the answer alone. */
#include "asking.h"
#include "bench.h"
#include <dbus/dbus.h>

#define CHARACTERISTIC "org.bluez.GattCharacteristic1"
#define SECONDS_LIMIT 10

static DBusConnection *c;
static const char *written, *notified;
static int is_private, is_kept;
static unsigned char question[64];
static int question_size;

/* What the call in flight and the notification have brought. */
static dbus_uint32_t awaited;
static int has_reply, has_answer;

static void fail(const char *what) {
  fprintf(stderr, "question_floor: %s\n", what);
  exit(1);
}

static DBusMessage *call_to(const char *path, const char *member) {
  return must(dbus_message_new_method_call("org.bluez", path, CHARACTERISTIC, member), member);
}

static void append_options(DBusMessageIter *it, const char *type) {
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

static void send_call(DBusMessage *m) {
  has_reply = 0;
  if (!dbus_connection_send(c, m, &awaited)) fail("out of memory");
  dbus_message_unref(m);
}

static int is_mine(const unsigned char *bytes, int size, int kind) {
  return size >= 9 && bytes[0] == kind && !memcmp(bytes + 1, question + 1, 8);
}

/* Takes the value of a notification, if the signal is one. */
static void take_signal(DBusMessage *m) {
  DBusMessageIter it, changes, entry, value, array;
  const unsigned char *bytes;
  const char *key;
  int size;
  if (!dbus_message_is_signal(m, PROPS, "PropertiesChanged")) return;
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
    dbus_message_iter_get_fixed_array(&array, &bytes, &size);
    if (is_private ? size == 9 && is_mine(bytes, size, 1) : size > 0) has_answer = 1;
  }
}

/* Takes the reply to the call in flight. */
static void take_reply(DBusMessage *m) {
  DBusMessageIter it, array;
  const unsigned char *bytes;
  int size;
  if (dbus_message_get_type(m) == DBUS_MESSAGE_TYPE_ERROR) fail(dbus_message_get_error_name(m));
  has_reply = 1;
  if (!dbus_message_has_signature(m, "ay")) return;
  dbus_message_iter_init(m, &it);
  dbus_message_iter_recurse(&it, &array);
  dbus_message_iter_get_fixed_array(&array, &bytes, &size);
  if (!is_mine(bytes, size, 2) || size < 11 || bytes[9]) fail("the reply is another one's");
}

/* Waits for the reply, and for the notification if that is wanted. */
static void wait_for(int answer) {
  uint64_t end = now_ns() + SECONDS_LIMIT * 1000000000ull;
  while (!has_reply || (answer && !has_answer)) {
    DBusMessage *m;
    if (!dbus_connection_read_write(c, SECONDS_LIMIT * 1000)) fail("the bus has gone");
    while ((m = dbus_connection_pop_message(c))) {
      if (awaited && dbus_message_get_reply_serial(m) == awaited) take_reply(m);
      else take_signal(m);
      dbus_message_unref(m);
    }
    if (now_ns() > end) fail("an answer is missing");
  }
  awaited = 0;
}

static void write_question(void) {
  DBusMessage *m = call_to(written, "WriteValue");
  DBusMessageIter it, array;
  const unsigned char *bytes = question;
  dbus_message_iter_init_append(m, &it);
  dbus_message_iter_open_container(&it, DBUS_TYPE_ARRAY, "y", &array);
  dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, question_size);
  dbus_message_iter_close_container(&it, &array);
  append_options(&it, "request");
  send_call(m);
}

static void read_reply(void) {
  DBusMessage *m = call_to(notified, "ReadValue");
  DBusMessageIter it;
  dbus_message_iter_init_append(m, &it);
  append_options(&it, NULL);
  send_call(m);
  wait_for(0);
}

static void ask(uint64_t number) {
  /* A tag of its own: all askers are notified of it. */
  if (is_private) memcpy(question + 1, (uint32_t[]){(uint32_t)getpid(), (uint32_t)number}, 8);
  if (!is_kept) {
    if (awaited) wait_for(0);
    send_call(call_to(notified, "StartNotify"));
    wait_for(0);
  }
  has_answer = 0;
  write_question();
  wait_for(1);
  if (is_private) read_reply();
  if (!is_kept) send_call(call_to(notified, "StopNotify"));
  dbus_connection_flush(c);
}

int main(int argc, char **argv) {
  char match[512];
  DBusError e = DBUS_ERROR_INIT;
  if (argc != 4) fail("question_floor plain|kept|private PATH PATH");
  is_private = !strcmp(argv[1], "private");
  is_kept = strcmp(argv[1], "plain");
  written = argv[2];
  notified = argv[3];
  question_size = snprintf((char *)question, sizeof question, "%sWill it rain?",
                           is_private ? "\x01" "tag-here" : "");

  c = dbus_bus_get_private(DBUS_BUS_SYSTEM, &e);
  if (!c) fail(e.message);
  dbus_connection_set_exit_on_disconnect(c, FALSE);
  snprintf(match, sizeof match,
           "type='signal',sender='org.bluez',interface='" PROPS "',path='%s'", notified);
  dbus_bus_add_match(c, match, &e);
  if (is_kept) {
    send_call(call_to(notified, "StartNotify"));
    wait_for(0);
  }
  serve_askings(ask);
  return 0;
}
