/* The floor of a byte socket: a central on libdbus that acquires both characteristics, and does nothing else
   with the bus. It talks to 'ble-socket speed --listen --transport raw'; Docs/Wire.md has what they say.

     pipe_floor NOTIFIED WRITTEN BYTES PACKET

   with the object paths of the characteristics, and how many bytes a packet has. It prints a line of JSON: how long
   the bytes took to be there, and as many to be here. */
#include "bench.h"
#include <dbus/dbus.h>
#include <poll.h>

#define CHARACTERISTIC "org.bluez.GattCharacteristic1"
#define SECONDS_LIMIT 120

static DBusConnection *c;
static unsigned char packet[600];

static void fail(const char *what) {
  fprintf(stderr, "pipe_floor: %s\n", what);
  exit(1);
}

/* The socket that AcquireWrite or AcquireNotify gives. */
static int acquire(const char *path, const char *member) {
  DBusMessage *m = must(dbus_message_new_method_call("org.bluez", path, CHARACTERISTIC, member), member);
  DBusMessageIter it, options;
  DBusError error = DBUS_ERROR_INIT;
  int fd = -1;
  dbus_uint16_t mtu;
  dbus_message_iter_init_append(m, &it);
  dbus_message_iter_open_container(&it, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(&it, &options);
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(c, m, 30000, &error);
  dbus_message_unref(m);
  if (!reply) fail(error.message);
  if (!dbus_message_get_args(reply, &error, DBUS_TYPE_UNIX_FD, &fd, DBUS_TYPE_UINT16, &mtu,
                             DBUS_TYPE_INVALID))
    fail(error.message);
  dbus_message_unref(reply);
  return fd;
}

static void await(int fd, short events) {
  struct pollfd ready = {fd, events, 0};
  if (poll(&ready, 1, SECONDS_LIMIT * 1000) != 1) fail("nothing happens");
}

static void put(int fd, const unsigned char *bytes, size_t count) {
  while (write(fd, bytes, count) != (ssize_t)count) await(fd, POLLOUT);
}

static size_t get(int fd) {
  ssize_t count;
  while ((count = read(fd, packet, sizeof packet)) < 0) await(fd, POLLIN);
  if (!count) fail("the connection has ended");
  return (size_t)count;
}

int main(int argc, char **argv) {
  if (argc != 5) fail("usage: pipe_floor NOTIFIED WRITTEN BYTES PACKET");
  uint64_t count = strtoull(argv[3], NULL, 10), size = strtoull(argv[4], NULL, 10);
  DBusError error = DBUS_ERROR_INIT;
  c = dbus_bus_get(DBUS_BUS_SYSTEM, &error);
  if (!c) fail(error.message);
  int notified = acquire(argv[1], "AcquireNotify"), written = acquire(argv[2], "AcquireWrite");
  /* The listener opens with the subscription. */
  usleep(300000);
  unsigned char start[8];
  for (int i = 0; i < 8; i++) start[i] = (unsigned char)(count >> (8 * i));
  uint64_t begin = now_ns();
  put(written, start, sizeof start);
  memset(packet, 0x55, sizeof packet);
  for (uint64_t sent = 0; sent < count; sent += size)
    put(written, packet, count - sent < size ? count - sent : size);
  if (get(notified) != 1 || packet[0]) fail("the other end does not measure");
  uint64_t there = now_ns();
  put(written, (unsigned char[]){0}, 1);
  for (uint64_t received = 0; received < count;) received += get(notified);
  printf("{\"sent_ns\":%llu,\"received_ns\":%llu}\n", (unsigned long long)(there - begin),
         (unsigned long long)(now_ns() - there));
  return 0;
}
