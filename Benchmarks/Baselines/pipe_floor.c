/* The floor of a byte socket: a central on libdbus that does nothing else with the bus. It talks to
   'ble-socket speed --listen --transport raw'; Docs/Wire.md has what they say.

     pipe_floor sockets NOTIFIED WRITTEN BYTES PACKET   AcquireNotify, AcquireWrite; then bytes alone
     pipe_floor calls NOTIFIED WRITTEN BYTES PACKET     StartNotify, WriteValue without response, 16 at once; signals

   with the object paths of the characteristics, and how many bytes a packet has. It prints a line of JSON: how long
   the bytes took to be there, and as many to be here. */
#include "gatt.h"
#include <poll.h>

#define SECONDS_LIMIT 120
/* The bus refuses a call when 128 of a program wait for their replies. */
#define CALLS_AT_ONCE 16

static DBusConnection *c;
static const char *notified, *written;
static unsigned char packet[600];

static void fail(const char *what) {
  fprintf(stderr, "pipe_floor: %s\n", what);
  exit(1);
}

static DBusMessage *reply_to(DBusMessage *m) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(c, m, 30000, &error);
  dbus_message_unref(m);
  if (!reply) fail(error.message);
  return reply;
}

/* By the sockets of bluetoothd. */

static int input, output;

/* The socket that AcquireWrite or AcquireNotify gives. */
static int acquire(const char *path, const char *member) {
  DBusMessage *m = call_to(path, member);
  DBusMessageIter it;
  DBusError error = DBUS_ERROR_INIT;
  int fd = -1;
  dbus_uint16_t mtu;
  dbus_message_iter_init_append(m, &it);
  append_options(&it, NULL);
  DBusMessage *reply = reply_to(m);
  if (!dbus_message_get_args(reply, &error, DBUS_TYPE_UNIX_FD, &fd, DBUS_TYPE_UINT16, &mtu,
                             DBUS_TYPE_INVALID))
    fail(error.message);
  dbus_message_unref(reply);
  return fd;
}

static void open_sockets(void) {
  input = acquire(notified, "AcquireNotify");
  output = acquire(written, "AcquireWrite");
}

static void await(int fd, short events) {
  struct pollfd ready = {fd, events, 0};
  if (poll(&ready, 1, SECONDS_LIMIT * 1000) != 1) fail("nothing happens");
}

static void put_in_socket(const unsigned char *bytes, size_t count) {
  while (write(output, bytes, count) != (ssize_t)count) await(output, POLLOUT);
}

static size_t get_from_socket(void) {
  ssize_t count;
  while ((count = read(input, packet, sizeof packet)) < 0) await(input, POLLIN);
  if (!count) fail("the connection has ended");
  return (size_t)count;
}

/* By calls and signals. */

static int calls_in_flight;

/* Takes what the bus has brought.
   Returns how many bytes one notification had; 0 when there was none. */
static size_t take_message(void) {
  uint64_t end = now_ns() + SECONDS_LIMIT * 1000000000ull;
  DBusMessage *m;
  while (!(m = dbus_connection_pop_message(c))) {
    if (now_ns() > end) fail("nothing happens");
    if (!dbus_connection_read_write(c, 1000)) fail("the bus has gone");
  }
  const unsigned char *bytes;
  size_t size = (size_t)notified_value(m, &bytes);
  if (size > sizeof packet) fail("a notification is too long");
  if (size) memcpy(packet, bytes, size);
  if (dbus_message_get_type(m) == DBUS_MESSAGE_TYPE_ERROR) fail(dbus_message_get_error_name(m));
  if (dbus_message_get_type(m) == DBUS_MESSAGE_TYPE_METHOD_RETURN) calls_in_flight--;
  dbus_message_unref(m);
  return size;
}

static void subscribe(void) {
  match_values(c, notified);
  dbus_message_unref(reply_to(call_to(notified, "StartNotify")));
}

static void put_by_call(const unsigned char *bytes, size_t count) {
  while (calls_in_flight == CALLS_AT_ONCE)
    if (take_message()) fail("the other end speaks first");
  DBusMessage *m = write_to(written, bytes, (int)count, "command");
  if (!dbus_connection_send(c, m, NULL)) fail("out of memory");
  dbus_message_unref(m);
  calls_in_flight++;
  dbus_connection_flush(c);
}

static size_t get_by_signal(void) {
  size_t count;
  while (!(count = take_message())) {}
  return count;
}

int main(int argc, char **argv) {
  if (argc != 6) fail("usage: pipe_floor sockets|calls NOTIFIED WRITTEN BYTES PACKET");
  int has_sockets = !strcmp(argv[1], "sockets");
  void (*put)(const unsigned char *, size_t) = has_sockets ? put_in_socket : put_by_call;
  size_t (*get)(void) = has_sockets ? get_from_socket : get_by_signal;
  notified = argv[2];
  written = argv[3];
  uint64_t count = strtoull(argv[4], NULL, 10), size = strtoull(argv[5], NULL, 10);
  DBusError error = DBUS_ERROR_INIT;
  c = dbus_bus_get(DBUS_BUS_SYSTEM, &error);
  if (!c) fail(error.message);
  (has_sockets ? open_sockets : subscribe)();
  /* The listener opens with the subscription. */
  usleep(300000);
  unsigned char start[8];
  for (int i = 0; i < 8; i++) start[i] = (unsigned char)(count >> (8 * i));
  put(start, sizeof start);
  /* Between two bluetoothds 5.66 commands may overtake each other; all others are the same. */
  usleep(300000);
  uint64_t begin = now_ns();
  memset(packet, 0x55, sizeof packet);
  for (uint64_t sent = 0; sent < count; sent += size)
    put(packet, count - sent < size ? count - sent : size);
  if (get() != 1 || packet[0]) fail("the other end does not measure");
  uint64_t there = now_ns();
  put((unsigned char[]){0}, 1);
  for (uint64_t received = 0; received < count;) received += get();
  printf("{\"sent_ns\":%llu,\"received_ns\":%llu}\n", (unsigned long long)(there - begin),
         (unsigned long long)(now_ns() - there));
  return 0;
}
