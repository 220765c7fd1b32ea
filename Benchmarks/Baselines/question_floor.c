/* The floor of a question: an asker on libdbus that makes the fewest calls of which BlueZ knows, one
   after the other, over a link that is there.

     question_floor plain   QUESTION ANSWER        StartNotify, WriteValue, the signal, StopNotify
     question_floor kept    QUESTION ANSWER        WriteValue, the signal
     question_floor private PRIVATE_QUESTION REPLY WriteValue, the signal, ReadValue

   with the object paths of the two characteristics. It asks as asking.h says. StopNotify is waited for when
   the next question is asked, as a user waits for the answer alone. */
#include "asking.h"
#include "gatt.h"

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

static void send_call(DBusMessage *m) {
  has_reply = 0;
  if (!dbus_connection_send(c, m, &awaited)) fail("out of memory");
  dbus_message_unref(m);
}

static int is_mine(const unsigned char *bytes, int size, int kind) {
  return size >= 9 && bytes[0] == kind && !memcmp(bytes + 1, question + 1, 8);
}

/* Takes the value of a notification, if the message is one. */
static void take_signal(DBusMessage *m) {
  const unsigned char *bytes;
  int size = notified_value(m, &bytes);
  if (size && (!is_private || (size == 9 && is_mine(bytes, size, 1)))) has_answer = 1;
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
  send_call(write_to(written, question, question_size, "request"));
  wait_for(1);
  if (is_private) read_reply();
  if (!is_kept) send_call(call_to(notified, "StopNotify"));
  dbus_connection_flush(c);
}

int main(int argc, char **argv) {
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
  match_values(c, notified);
  if (is_kept) {
    send_call(call_to(notified, "StartNotify"));
    wait_for(0);
  }
  serve_askings(ask);
  return 0;
}
