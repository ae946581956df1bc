// umad_behaviour DEVICE_A DEVICE_B
// umad_behaviour pulled DEVICE        waits until the device is pulled out
// Prints how umad behaves, a line for each property, with the same words each time. Port 1 of both
// devices is Active, in one subnet with LMC 1, and not used by others. It runs on the Linux kernel
// (scenario same-as-preload of sim/kernel) and under heddle-sim-run; same-as-preload.txt is what
// the kernel printed, and both have to print the same. Source of the interface:
// Documentation/infiniband/user_mad.rst, include/uapi/rdma/ib_user_mad.h.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

// libibumad has a type of this name, too.
#define ib_user_mad kernel_ib_user_mad
#include <rdma/ib_user_mad.h>
#undef ib_user_mad

enum {
  kMad = 256,
  kHeader = sizeof(struct ib_user_mad_hdr),
  kOldHeader = sizeof(struct ib_user_mad_hdr_old),
  kLargest = 16384,
  kQuietMs = 400,  // nothing arrives within this time
  kWaitMs = 5000,  // what is expected arrives within it
  kVendor = 0x0B,  // a class without RMPP and OUI, of which the simulated nodes have no agent
  kVendorRmpp = 0x30,
  kOui = 0x001405,
  kSm = 0x01,
  kDirected = 0x81,
  kGet = 1,
  kSet = 2,
  kSend = 3,
  kGetResp = 0x81,
  kNodeInfo = 0x11,
  kPortInfo = 0x15,
  kSmInfo = 0x20,
};

struct port {
  const char* device;
  int portid, fd;
  uint16_t lid;
  uint8_t gid[16];
};

struct message {
  struct ib_user_mad_hdr header;
  uint8_t mad[kLargest];
};

static struct port a, b;
static uint32_t next_tid = 0x1000;

// --- output

static void line(const char* what, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("%s: ", what);
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
  fflush(stdout);
}

// Returns "ok" for 0 or more, and the name of a negative errno.
static const char* outcome(long result) {
  return result >= 0 ? "ok" : strerrorname_np((int)-result);
}

static long ms_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char* lid_name(uint16_t lid_be) {
  const uint16_t lid = ntohs(lid_be);
  static char text[16];
  if (lid == 0xFFFF) return "permissive";
  if (lid == a.lid) return "a";
  if (lid == a.lid + 1) return "a+1";
  if (lid == b.lid) return "b";
  if (lid == b.lid + 1) return "b+1";
  snprintf(text, sizeof text, "0x%x", lid);
  return text;
}

static const char* gid_name(const uint8_t* gid) {
  static const uint8_t none[16];
  if (memcmp(gid, a.gid, 16) == 0) return "a";
  if (memcmp(gid, b.gid, 16) == 0) return "b";
  return memcmp(gid, none, 16) == 0 ? "none" : "other";
}

// --- system calls

static long do_ioctl(int fd, unsigned long request, void* argument) {
  return ioctl(fd, request, argument) < 0 ? -errno : 0;
}
static long do_read(int fd, void* to, size_t size) {
  const ssize_t got = read(fd, to, size);
  return got < 0 ? -errno : got;
}
static long do_write(int fd, const void* from, size_t size) {
  const ssize_t put = write(fd, from, size);
  return put < 0 ? -errno : put;
}

static int open_port_of(const char* device, int* portid) {
  *portid = umad_open_port(device, 1);
  const int fd = *portid < 0 ? *portid : umad_get_fd(*portid);
  if (fd < 0) {
    fprintf(stderr, "port 1 of %s cannot be opened: %s\n", device, strerror(-fd));
    exit(2);
  }
  return fd;
}
static int open_device(const char* device) {
  int portid;
  return open_port_of(device, &portid);
}

static void open_port(struct port* port, const char* device) {
  umad_port_t info;
  port->device = device;
  port->fd = open_port_of(device, &port->portid);
  if (umad_get_port(device, 1, &info) < 0) exit(2);
  port->lid = (uint16_t)info.base_lid;
  memcpy(port->gid, &info.gid_prefix, 8);
  memcpy(port->gid + 8, &info.port_guid, 8);
  umad_release_port(&info);
}

// A registration of one class; methods as bits 0..63 of the mask.
struct wanted {
  uint32_t qpn, flags, oui;
  uint8_t mgmt_class, version, rmpp_version;
  uint64_t methods;
};

static long add(int fd, struct wanted wanted) {
  struct ib_user_mad_reg_req2 request = {.qpn = wanted.qpn,
                                         .mgmt_class = wanted.mgmt_class,
                                         .mgmt_class_version = wanted.version,
                                         .flags = wanted.flags,
                                         .method_mask = {wanted.methods, 0},
                                         .oui = wanted.oui,
                                         .rmpp_version = wanted.rmpp_version};
  const long result = do_ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &request);
  return result < 0 ? result : (long)request.id;
}
static long add_vendor(int fd, uint64_t methods) {
  return add(fd,
             (struct wanted){.qpn = 1, .mgmt_class = kVendor, .version = 1, .methods = methods});
}
static long removed(int fd, uint32_t id) { return do_ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &id); }
static void drop_agents(int fd) {
  static uint8_t rest[kHeader + kLargest];
  for (uint32_t id = 0; id < 32; ++id) removed(fd, id);
  while (do_read(fd, rest, sizeof rest) > 0) continue;
}

static long receive(int fd, struct message* into, int ms) {
  struct pollfd wait = {.fd = fd, .events = POLLIN};
  memset(into, 0, sizeof *into);
  const int ready = poll(&wait, 1, ms);
  if (ready <= 0) return ready < 0 ? -errno : -EAGAIN;
  return do_read(fd, into, sizeof *into);
}

static void put32(uint8_t* at, uint32_t value) {
  value = htonl(value);
  memcpy(at, &value, 4);
}
static uint32_t get32(const uint8_t* at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return ntohl(value);
}
static uint32_t tid_low(const struct message* m) { return get32(m->mad + 12); }
static uint32_t tid_high(const struct message* m) { return get32(m->mad + 8); }

// A request of agent `id` to a LID; QP 1 unless the class is one of SMPs.
static void start(struct message* m, long id, uint16_t lid, uint8_t mgmt_class, uint8_t method) {
  memset(m, 0, sizeof *m);
  const int is_smp = mgmt_class == kSm || mgmt_class == kDirected;
  m->header.id = (uint32_t)id;
  m->header.qpn = htonl(is_smp ? 0 : 1);
  m->header.qkey = htonl(is_smp ? 0 : 0x80010000);
  m->header.lid = htons(lid);
  m->mad[0] = 1;
  m->mad[1] = mgmt_class;
  m->mad[2] = 1;
  m->mad[3] = method;
  put32(m->mad + 8, 0xABCD0000);  // the upper half is the kernel's
  put32(m->mad + 12, ++next_tid);
}
static void start_directed(struct message* m, long id, uint16_t attribute, int hops, int path) {
  start(m, id, 0xFFFF, kDirected, kGet);
  m->mad[7] = (uint8_t)hops;
  m->mad[16] = (uint8_t)(attribute >> 8);
  m->mad[17] = (uint8_t)attribute;
  memset(m->mad + 32, 0xFF, 4);
  for (int hop = 1; hop <= hops; ++hop) m->mad[128 + hop] = (uint8_t)path;
}
static long send_size(int fd, const struct message* m, size_t mad_bytes) {
  return do_write(fd, m, kHeader + mad_bytes);
}
static long send_mad(int fd, struct message* m, uint32_t timeout_ms, uint32_t retries) {
  m->header.timeout_ms = timeout_ms;
  m->header.retries = retries;
  return send_size(fd, m, kMad);
}

// Turns a received request into its response, by the addresses with which it came.
static void make_response(struct message* m) {
  m->header.qkey = htonl(0x80010000);
  m->header.timeout_ms = m->header.retries = 0;
  m->mad[3] = kGetResp;
}

static void print_message(const char* what, const struct message* m, long got) {
  if (got < 0) {
    line(what, "%s", got == -EAGAIN ? "nothing" : outcome(got));
    return;
  }
  const struct ib_user_mad_hdr* h = &m->header;
  line(what, "read %ld, length %u, agent %u, status %s, timeout %u, retries %u", got, h->length,
       h->id, h->status == 0 ? "0" : strerrorname_np((int)h->status), h->timeout_ms, h->retries);
  line(what, "from %s, QP %u, sl %u, path bits %u, P_Key index %u", lid_name(h->lid), ntohl(h->qpn),
       h->sl, h->path_bits, h->pkey_index);
  if (h->grh_present)
    line(what, "GRH: gid %s, gid index %u, hop limit %u, class %u, flow label 0x%x",
         gid_name(h->gid), h->gid_index, h->hop_limit, h->traffic_class, ntohl(h->flow_label));
}

// --- registration

static void expect_add(const char* what, int fd, struct wanted wanted) {
  const long id = add(fd, wanted);
  if (id >= 0)
    line(what, "agent %ld", id);
  else
    line(what, "%s", outcome(id));
}

static void test_registration(void) {
  struct wanted wanted = {.qpn = 1, .mgmt_class = kVendor, .version = 1, .methods = 1 << kGet};
  const int other = open_device(a.device);
  expect_add("register a class", a.fd, wanted);
  expect_add("register the same method again", a.fd, wanted);
  expect_add("the same method by another file", other, wanted);
  wanted.methods = 1 << kGet | 1 << kSet;
  expect_add("a set of methods of which one is in use", a.fd, wanted);
  wanted.methods = 1 << kSet;
  expect_add("a disjoint method", a.fd, wanted);
  wanted.methods = 1 << kSend;
  expect_add("a disjoint method by another file", other, wanted);
  wanted.version = 2;
  wanted.methods = 1 << kGet;
  expect_add("the same method of another class version", a.fd, wanted);
  wanted.methods = 0;
  expect_add("a class without methods", a.fd, wanted);
  expect_add("a class without methods again", a.fd, wanted);
  expect_add("no class", a.fd, (struct wanted){.qpn = 1});
  line("unregister", "%s", outcome(removed(a.fd, 0)));
  line("unregister again", "%s", outcome(removed(a.fd, 0)));
  line("unregister an agent that never was", "%s", outcome(removed(a.fd, 31)));
  line("unregister agent 32", "%s", outcome(removed(a.fd, 32)));
  wanted.version = 1;
  wanted.methods = 1 << kGet;
  expect_add("the method is free again, and so is the id", a.fd, wanted);
  close(other);
  wanted.methods = 1 << kSend;
  expect_add("the method of a file that was closed", a.fd, wanted);
  drop_agents(a.fd);
}

static void test_registration_errors(void) {
  const int fd = a.fd;
  expect_add("QP 2", fd, (struct wanted){.qpn = 2, .mgmt_class = kVendor, .version = 1});
  expect_add("an SMP class on QP 1", fd,
             (struct wanted){.qpn = 1, .mgmt_class = kSm, .version = 1});
  expect_add("class 4 on QP 0", fd, (struct wanted){.qpn = 0, .mgmt_class = 4, .version = 1});
  expect_add("class 0x50", fd, (struct wanted){.qpn = 1, .mgmt_class = 0x50, .version = 1});
  expect_add("class 0x4f with OUI", fd,
             (struct wanted){.qpn = 1, .mgmt_class = 0x4F, .version = 1, .oui = kOui});
  expect_add("class 0x30 without OUI", fd,
             (struct wanted){.qpn = 1, .mgmt_class = 0x30, .version = 1});
  expect_add("an OUI of 32 bits", fd,
             (struct wanted){.qpn = 1, .mgmt_class = 0x30, .version = 1, .oui = 1u << 24});
  expect_add("class version 0x82", fd,
             (struct wanted){.qpn = 1, .mgmt_class = kVendor, .version = 0x82});
  expect_add("class version 0x83", fd,
             (struct wanted){.qpn = 1, .mgmt_class = kVendor, .version = 0x83});
  expect_add("RMPP version 2", fd,
             (struct wanted){.qpn = 1, .mgmt_class = 3, .version = 2, .rmpp_version = 2});
  expect_add("RMPP of a class without it", fd,
             (struct wanted){.qpn = 1, .mgmt_class = 4, .version = 1, .rmpp_version = 1});
  expect_add("RMPP of no class", fd, (struct wanted){.qpn = 1, .rmpp_version = 1});
  expect_add("RMPP by the program, of no class", fd,
             (struct wanted){.qpn = 1, .flags = IB_USER_MAD_USER_RMPP});
  expect_add("an unknown flag", fd,
             (struct wanted){.qpn = 1, .mgmt_class = kVendor, .version = 1, .flags = 2});
  drop_agents(fd);
  // The two classes of SMPs do not exclude each other.
  expect_add("SMP by LID", fd, (struct wanted){.mgmt_class = kSm, .version = 1, .methods = 1 << 5});
  expect_add("SMP by directed route", fd,
             (struct wanted){.mgmt_class = kDirected, .version = 1, .methods = 1 << 5});
  drop_agents(fd);
  long last = 0;
  int count = 0;
  while ((last = add(fd, (struct wanted){.qpn = 1})) >= 0) ++count;
  line("agents of a file", "%d, then %s", count, outcome(last));
  drop_agents(fd);
}

// --- write and read

static void test_calls(void) {
  struct message m;
  const long id = add_vendor(a.fd, 0);
  start(&m, 7, b.lid, kVendor, kSend);
  line("send by an agent that is not registered", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  m.header.id = 32;
  line("send by agent 32", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  m.header.id = (uint32_t)id;
  line("write of 35 bytes of MAD", "%s", outcome(send_size(a.fd, &m, 35)));
  line("write of 36 bytes of MAD", "%s", outcome(send_size(a.fd, &m, 36)));
  start(&m, id, b.lid, kVendor, kSend);
  line("write of 256 bytes of MAD", "%ld", send_size(a.fd, &m, kMad) - kHeader);
  start(&m, id, b.lid, kVendor, kSend);
  line("write of 257 bytes of MAD", "%s", outcome(send_size(a.fd, &m, kMad + 1)));
  start(&m, id, b.lid, 3, kSend);
  line("write of 55 bytes of an SA MAD", "%s", outcome(send_size(a.fd, &m, 55)));
  line("write of 56 bytes of an SA MAD", "%s", outcome(send_size(a.fd, &m, 56)));
  start(&m, id, b.lid, kVendorRmpp, kSend);
  line("write of 39 bytes of a vendor MAD", "%s", outcome(send_size(a.fd, &m, 39)));
  start(&m, id, b.lid, kVendor, kSend);
  m.header.grh_present = 1;
  m.header.gid_index = 200;
  line("GRH with a GID index beyond the table", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  line("read of nothing with O_NONBLOCK", "%s", outcome(do_read(a.fd, &m, sizeof m)));
  line("read into less than the header", "%s", outcome(do_read(a.fd, &m, kHeader - 1)));
  line("an ioctl that does not exist", "%s", outcome(do_ioctl(a.fd, _IO(0x1b, 99), &m)));
  line("enable_pkey after a registration", "%s",
       outcome(do_ioctl(a.fd, IB_USER_MAD_ENABLE_PKEY, NULL)));
  line("lseek", "%s", lseek(a.fd, 0, SEEK_SET) < 0 ? strerrorname_np(errno) : "ok");
  drop_agents(a.fd);
}

static void on_alarm(int signal) { (void)signal; }

// SIGALRM comes in 300 ms and again until it is stopped, and interrupts system calls: one that
// comes just before the call would not.
static void start_alarm(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  ualarm(300000, 300000);
}
static void stop_alarm(void) { ualarm(0, 0); }

static void test_waiting(void) {
  struct message m;
  struct pollfd wait = {.fd = a.fd, .events = POLLIN | POLLOUT};
  const long sender = add_vendor(b.fd, 0);
  add_vendor(a.fd, 1 << kSend);
  poll(&wait, 1, 0);
  line("poll of an empty file", "%s%s", wait.revents & POLLIN ? "in " : "",
       wait.revents & POLLOUT ? "out" : "");
  const int flags = fcntl(a.fd, F_GETFL);  // libibumad sets O_NONBLOCK
  fcntl(a.fd, F_SETFL, flags & ~O_NONBLOCK);
  start_alarm();
  const long interrupted = do_read(a.fd, &m, sizeof m);
  stop_alarm();
  line("a read that a signal ends", "%s", outcome(interrupted));
  fcntl(a.fd, F_SETFL, flags);
  start(&m, sender, a.lid, kVendor, kSend);
  send_mad(b.fd, &m, 0, 0);
  start(&m, sender, a.lid, kVendor, kSend);
  send_mad(b.fd, &m, 0, 0);
  line("umad_poll", "%s", outcome(umad_poll(a.portid, kWaitMs)));
  usleep(100000);
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(a.fd, &readable);
  struct timeval limit = {.tv_sec = 1};
  line("select", "%d", select(a.fd + 1, &readable, NULL, NULL, &limit));
  poll(&wait, 1, 0);
  line("poll with two MADs queued", "%s%s", wait.revents & POLLIN ? "in " : "",
       wait.revents & POLLOUT ? "out" : "");
  line("read into less than the MAD", "%s", outcome(do_read(a.fd, &m, kHeader + kMad - 1)));
  line("read of the first", "%ld", do_read(a.fd, &m, sizeof m) - kHeader);
  poll(&wait, 1, 0);
  line("poll with one MAD queued", "%s%s", wait.revents & POLLIN ? "in " : "",
       wait.revents & POLLOUT ? "out" : "");
  line("read of the second", "%ld", do_read(a.fd, &m, kHeader + kMad) - kHeader);
  poll(&wait, 1, 0);
  line("poll after it", "%s%s", wait.revents & POLLIN ? "in " : "",
       wait.revents & POLLOUT ? "out" : "");
  drop_agents(a.fd);
  drop_agents(b.fd);
}

// --- requests and time

static void test_timeout(void) {
  struct message m;
  const long id = add_vendor(a.fd, 0);
  start(&m, id, 0xBF00, kVendor, kGet);
  m.header.length = 4711;
  m.mad[100] = 0x55;
  const uint32_t tid = tid_low(&m);
  const long begun = ms_now();
  line("send to a LID without owner", "%s", outcome(send_mad(a.fd, &m, 300, 1)));
  const long got = receive(a.fd, &m, kWaitMs);
  const long took = ms_now() - begun;
  print_message("its timeout", &m, got);
  line("its timeout", "after %s",
       took < 600    ? "less than 600 ms"
       : took < 1500 ? "600 ms"
                     : "more than 1500 ms");
  line("its timeout", "lower half of the TID %s, upper half %s, method %u",
       tid_low(&m) == tid ? "kept" : "changed", tid_high(&m) == 0xABCD0000 ? "kept" : "replaced",
       m.mad[3]);
  start(&m, id, 0xBF00, kVendor, kGet);
  send_mad(a.fd, &m, 1500, 0);
  line("the same TID while the first is under way", "%s", outcome(send_mad(a.fd, &m, 300, 0)));
  m.mad[1] = 4;
  line("the same TID in another class", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  m.mad[1] = kVendor;
  m.mad[3] = kGetResp;
  line("a response with that TID", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  line("unregister with a request under way", "%s", outcome(removed(a.fd, (uint32_t)id)));
  print_message("what is read then", &m, receive(a.fd, &m, 2000));
}

static void test_short_and_close(void) {
  struct message m;
  const int fd = open_device(a.device);
  long id = add_vendor(fd, 0);
  start(&m, id, 0xBF00, kVendor, kGet);
  m.header.timeout_ms = 200;
  line("a request of 36 bytes", "%s", outcome(send_size(fd, &m, 36)));
  print_message("its timeout", &m, receive(fd, &m, kWaitMs));
  start(&m, id, 0xBF00, kVendor, kGet);
  send_mad(fd, &m, 5000, 3);
  const long begun = ms_now();
  line("close with a request under way", "%s", outcome(close(fd)));
  line("it waits", "%s", ms_now() - begun < 1000 ? "not" : "long");
}

static void test_answers(void) {
  struct message m, answer;
  const long id = add_vendor(a.fd, 0);
  add_vendor(b.fd, 1 << kGet);
  start(&m, id, b.lid, kVendor, kGet);
  const uint32_t tid = tid_low(&m);
  send_mad(a.fd, &m, kWaitMs, 2);
  long got = receive(b.fd, &answer, kWaitMs);
  print_message("a request", &answer, got);
  const uint32_t upper = tid_high(&answer);
  line("its TID", "lower half %s, upper half %s", tid_low(&answer) == tid ? "kept" : "changed",
       upper == 0xABCD0000 ? "kept" : "replaced");
  make_response(&answer);
  line("a response", "%s", outcome(send_mad(b.fd, &answer, 0, 0)));
  got = receive(a.fd, &m, kWaitMs);
  print_message("the response", &m, got);
  line("its TID", "lower half %s, upper half %s", tid_low(&m) == tid ? "kept" : "changed",
       tid_high(&m) == upper ? "kept" : "changed");
  send_mad(b.fd, &answer, 0, 0);
  print_message("a second response", &m, receive(a.fd, &m, kQuietMs));

  start(&m, id, b.lid, kVendor, kGet);
  send_mad(a.fd, &m, 200, 0);
  receive(b.fd, &answer, kWaitMs);
  got = receive(a.fd, &m, kWaitMs);
  line("no answer", "status %s", strerrorname_np((int)m.header.status));
  make_response(&answer);
  send_mad(b.fd, &answer, 0, 0);
  print_message("an answer after the timeout", &m, receive(a.fd, &m, kQuietMs));

  start(&m, id, b.lid, kVendor, kGet);
  send_mad(a.fd, &m, 0, 0);
  receive(b.fd, &answer, kWaitMs);
  make_response(&answer);
  send_mad(b.fd, &answer, 0, 0);
  print_message("an answer to a request without a timeout", &m, receive(a.fd, &m, kQuietMs));
  drop_agents(a.fd);
  drop_agents(b.fd);
}

static void test_retries(void) {
  struct message m, answer;
  const long id = add_vendor(a.fd, 0);
  add_vendor(b.fd, 1 << kGet);
  start(&m, id, b.lid, kVendor, kGet);
  send_mad(a.fd, &m, 300, 2);
  int count = 0, same = 1;
  uint32_t first = 0;
  while (count < 3 && receive(b.fd, &answer, kWaitMs) > 0) {
    if (count++ == 0) first = tid_high(&answer);
    same = same && tid_high(&answer) == first;
  }
  make_response(&answer);
  send_mad(b.fd, &answer, 0, 0);
  const long got = receive(a.fd, &m, kWaitMs);
  line("a request with two retries", "%d arrive, with %s TID", count, same ? "one" : "another");
  line("the answer to the last", "%s, status %u", outcome(got), m.header.status);
  start(&m, id, b.lid, kVendor, kGet);
  send_mad(a.fd, &m, 200, 2);
  count = 0;
  while (receive(b.fd, &answer, 1000) > 0) ++count;
  receive(a.fd, &m, kWaitMs);
  line("two retries without an answer", "%d arrive, status %s", count,
       strerrorname_np((int)m.header.status));
  line("two retries without an answer", "timeout %u, retries %u in the header", m.header.timeout_ms,
       m.header.retries);
  drop_agents(a.fd);
  drop_agents(b.fd);
}

static void test_unanswerable(void) {
  struct message m, answer;
  const long id = add_vendor(a.fd, 0);
  add_vendor(b.fd, 1 << kSet);
  start(&m, id, b.lid, kVendor, kGet);
  send_mad(a.fd, &m, 400, 0);
  long got = receive(a.fd, &m, kWaitMs);
  line("Get of a method without an agent", "%s, status %u, MAD's status 0x%x", outcome(got),
       m.header.status, m.mad[4] << 8 | m.mad[5]);
  start(&m, id, b.lid, kVendor, kSend);
  send_mad(a.fd, &m, 400, 0);
  got = receive(a.fd, &m, kWaitMs);
  line("Send of a method without an agent", "%s, status %s", outcome(got),
       strerrorname_np((int)m.header.status));
  start(&m, id, b.lid, kVendor, kSet);
  m.mad[2] = 3;
  send_mad(a.fd, &m, 400, 0);
  got = receive(a.fd, &m, kWaitMs);
  line("a class version without an agent", "%s, status %u, MAD's status 0x%x", outcome(got),
       m.header.status, m.mad[4] << 8 | m.mad[5]);
  start(&m, id, b.lid, kVendor, kSet);
  m.mad[0] = 2;
  send_mad(a.fd, &m, 0, 0);
  print_message("base version 2", &answer, receive(b.fd, &answer, kQuietMs));
  drop_agents(a.fd);
  drop_agents(b.fd);
}

// --- addresses

static void test_addresses(void) {
  struct message m, answer;
  const long id = add_vendor(a.fd, 1 << kGet);
  add_vendor(b.fd, 1 << kGet);
  start(&m, id, b.lid, kVendor, kGet);
  m.header.sl = 3;
  send_mad(a.fd, &m, 0, 0);
  print_message("SL 3", &answer, receive(b.fd, &answer, kWaitMs));
  start(&m, id, (uint16_t)(b.lid + 1), kVendor, kGet);
  send_mad(a.fd, &m, 0, 0);
  print_message("to the second LID", &answer, receive(b.fd, &answer, kWaitMs));
  start(&m, id, a.lid, kVendor, kGet);
  send_mad(a.fd, &m, 0, 0);
  print_message("to the own LID", &answer, receive(a.fd, &answer, kWaitMs));
  drop_agents(a.fd);
  drop_agents(b.fd);
}

static void put_grh(struct message* m, const uint8_t* gid) {
  m->header.grh_present = 1;
  m->header.hop_limit = 5;
  m->header.traffic_class = 7;
  m->header.flow_label = htonl(0x12345);
  memcpy(m->header.gid, gid, 16);
}

static void test_grh(void) {
  struct message m, answer;
  const long id = add_vendor(a.fd, 0);
  add_vendor(b.fd, 1 << kGet);
  start(&m, id, b.lid, kVendor, kGet);
  put_grh(&m, b.gid);
  send_mad(a.fd, &m, kWaitMs, 0);
  print_message("with GRH", &answer, receive(b.fd, &answer, kWaitMs));
  make_response(&answer);
  send_mad(b.fd, &answer, 0, 0);
  print_message("the answer with GRH", &m, receive(a.fd, &m, kWaitMs));

  start(&m, id, b.lid, kVendor, kGet);
  put_grh(&m, b.gid);
  send_mad(a.fd, &m, 400, 0);
  receive(b.fd, &answer, kWaitMs);
  make_response(&answer);
  answer.header.grh_present = 0;
  send_mad(b.fd, &answer, 0, 0);
  receive(a.fd, &m, kWaitMs);
  line("an answer without GRH to a request with it", "status %s",
       m.header.status == 0 ? "0" : strerrorname_np((int)m.header.status));

  start(&m, id, b.lid, kVendor, kGet);
  send_mad(a.fd, &m, 400, 0);
  receive(b.fd, &answer, kWaitMs);
  make_response(&answer);
  put_grh(&answer, a.gid);
  answer.header.gid_index = 0;
  send_mad(b.fd, &answer, 0, 0);
  receive(a.fd, &m, kWaitMs);
  line("an answer with GRH to a request without it", "status %s",
       m.header.status == 0 ? "0" : strerrorname_np((int)m.header.status));

  start(&m, id, b.lid, kVendor, kGet);
  put_grh(&m, b.gid);
  m.header.gid[15] ^= 0x55;
  send_mad(a.fd, &m, 0, 0);
  print_message("a GRH to a GID that the receiver has not", &answer,
                receive(b.fd, &answer, kQuietMs));
  drop_agents(a.fd);
  drop_agents(b.fd);
}

// --- RMPP

static void start_rmpp(struct message* m, long id, uint8_t method, int bytes) {
  start(m, id, b.lid, kVendorRmpp, method);
  m->mad[24] = 1;  // RMPP version
  m->mad[25] = 1;  // DATA
  m->mad[26] = 1;  // active
  put32(m->mad + 36, kOui);
  for (int i = 40; i < bytes; ++i) m->mad[i] = (uint8_t)(i * 7);
}
static int is_whole(const struct message* m, int bytes) {
  for (int i = 40; i < bytes; ++i)
    if (m->mad[i] != (uint8_t)(i * 7)) return 0;
  return 1;
}
static void print_rmpp(const char* what, const struct message* m, long got, int bytes) {
  print_message(what, m, got);
  if (got < 0) return;
  line(what, "RMPP type %u, flags %u, status %u, segment %u, payload or window %u, data %s",
       m->mad[25], m->mad[26], m->mad[27], get32(m->mad + 28), get32(m->mad + 32),
       is_whole(m, bytes) ? "whole" : "damaged");
}

static void test_rmpp(void) {
  struct message m, answer;
  const struct wanted client = {
      .qpn = 1, .mgmt_class = kVendorRmpp, .version = 1, .rmpp_version = 1, .oui = kOui};
  struct wanted server = client;
  server.methods = 1 << kGet;
  const long id = add(a.fd, client);
  line("server of RMPP", "agent %ld", add(b.fd, server));
  start_rmpp(&m, id, kGet, 1000);
  m.header.timeout_ms = kWaitMs;
  line("a request of 1000 bytes", "%s", outcome(send_size(a.fd, &m, 1000)));
  print_rmpp("it arrives", &answer, receive(b.fd, &answer, kWaitMs), 1000);
  make_response(&answer);
  for (int i = 40; i < 5000; ++i) answer.mad[i] = (uint8_t)(i * 7);
  line("a response of 5000 bytes", "%s", outcome(send_size(b.fd, &answer, 5000)));
  struct pollfd wait = {.fd = a.fd, .events = POLLIN};
  poll(&wait, 1, kWaitMs);
  line("read of 255 bytes", "%s", outcome(do_read(a.fd, &m, kHeader + kMad - 1)));
  line("read of 256 bytes", "%s", outcome(do_read(a.fd, &m, kHeader + kMad)));
  line("read of 256 bytes", "length %u in the header", m.header.length);
  print_rmpp("the response", &m, receive(a.fd, &m, kWaitMs), 5000);
  start_rmpp(&m, id, kGet, kMad);
  m.header.timeout_ms = kWaitMs;
  send_size(a.fd, &m, 100);
  print_rmpp("a request of one segment", &answer, receive(b.fd, &answer, kWaitMs), 100);
  make_response(&answer);
  answer.mad[26] = 0;  // without RMPP
  send_mad(b.fd, &answer, 0, 0);
  print_message("a response without RMPP", &m, receive(a.fd, &m, kWaitMs));
  drop_agents(b.fd);
  start_rmpp(&m, id, kGet, 1000);
  m.header.timeout_ms = 300;
  m.header.retries = 1;
  m.header.lid = htons(0xBF00);
  send_size(a.fd, &m, 1000);
  print_message("RMPP to a LID without owner", &m, receive(a.fd, &m, kWaitMs));
  drop_agents(a.fd);
  expect_add("RMPP by the program", a.fd,
             (struct wanted){.qpn = 1,
                             .mgmt_class = kVendorRmpp,
                             .version = 1,
                             .rmpp_version = 1,
                             .oui = kOui,
                             .flags = IB_USER_MAD_USER_RMPP});
  start_rmpp(&m, 0, kGet, 1000);
  line("a message of 1000 bytes by such an agent", "%s", outcome(send_size(a.fd, &m, 1000)));
  line("a segment by such an agent", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  start(&m, 0, b.lid, kVendor, kSend);
  line("a class without RMPP by such an agent", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  drop_agents(a.fd);
}

// --- SMPs

static void print_smp(const char* what, const struct message* m, long got) {
  print_message(what, m, got);
  if (got < 0 || m->header.status != 0) return;
  line(what, "method 0x%x, status 0x%x, hop pointer %u, hop count %u, attribute 0x%x", m->mad[3],
       m->mad[4] << 8 | m->mad[5], m->mad[6], m->mad[7], m->mad[16] << 8 | m->mad[17]);
}

static void test_directed(void) {
  struct message m;
  const long id = add(a.fd, (struct wanted){.mgmt_class = kDirected, .version = 1});
  start_directed(&m, id, kNodeInfo, 0, 0);
  line("directed route of no hops", "%s", outcome(send_mad(a.fd, &m, 1000, 0)));
  print_smp("its answer", &m, receive(a.fd, &m, kWaitMs));
  start_directed(&m, id, kNodeInfo, 0, 0);
  send_mad(a.fd, &m, 0, 0);
  print_smp("no hops, no timeout", &m, receive(a.fd, &m, kQuietMs));
  start_directed(&m, id, kSmInfo, 0, 0);
  send_mad(a.fd, &m, 300, 0);
  print_smp("SMInfo of no hops without an agent", &m, receive(a.fd, &m, 1500));
  start_directed(&m, id, 0xFF77, 0, 0);
  send_mad(a.fd, &m, 300, 0);
  print_smp("an unknown attribute, no hops", &m, receive(a.fd, &m, 1500));
  start_directed(&m, id, kNodeInfo, 1, 1);
  send_mad(a.fd, &m, 1000, 0);
  print_smp("directed route of one hop", &m, receive(a.fd, &m, kWaitMs));
  start_directed(&m, id, kNodeInfo, 1, 2);
  line("a first hop by port 2", "%s", outcome(send_mad(a.fd, &m, 400, 0)));
  print_smp("a first hop by port 2", &m, receive(a.fd, &m, 1500));
  start_directed(&m, id, kNodeInfo, 0, 0);
  m.mad[6] = 1;
  line("hop pointer beyond the hop count", "%s", outcome(send_mad(a.fd, &m, 400, 0)));
  print_smp("hop pointer beyond the hop count", &m, receive(a.fd, &m, 1500));
  start_directed(&m, id, kNodeInfo, 64, 1);
  line("64 hops", "%s", outcome(send_mad(a.fd, &m, 400, 0)));
  print_smp("64 hops", &m, receive(a.fd, &m, 1500));
  drop_agents(a.fd);
}

static void test_lid_routed(void) {
  struct message m;
  const long id = add(a.fd, (struct wanted){.mgmt_class = kSm, .version = 1});
  start(&m, id, a.lid, kSm, kGet);
  m.mad[17] = kNodeInfo;
  line("SMP to the own LID", "%s", outcome(send_mad(a.fd, &m, 1000, 0)));
  print_smp("SMP to the own LID", &m, receive(a.fd, &m, kWaitMs));
  start(&m, id, b.lid, kSm, kGet);
  m.mad[17] = kNodeInfo;
  send_mad(a.fd, &m, 1000, 0);
  print_smp("SMP to another LID", &m, receive(a.fd, &m, kWaitMs));
  start(&m, id, 0xBF00, kSm, kGet);
  m.mad[17] = kNodeInfo;
  send_mad(a.fd, &m, 300, 0);
  print_smp("SMP to a LID without owner", &m, receive(a.fd, &m, kWaitMs));
  start(&m, id, b.lid, kSm, kGet);
  m.mad[17] = kSmInfo;
  send_mad(a.fd, &m, 400, 0);
  print_smp("SMInfo of a port without a manager", &m, receive(a.fd, &m, kWaitMs));
  drop_agents(a.fd);
}

static int open_issm(const char* device, int flags) {
  char path[300];
  if (umad_get_issm_path(device, 1, path, sizeof path) < 0) return -ENOENT;
  const int fd = open(path, flags);
  return fd < 0 ? -errno : fd;
}

// SMInfo to the agents of a manager at B, and who answers what is not for it.
static void test_sm_agent(void) {
  struct message m, answer;
  const int issm = open_issm(b.device, O_RDWR);
  const long by_lid = add(a.fd, (struct wanted){.mgmt_class = kSm, .version = 1});
  const long directed = add(a.fd, (struct wanted){.mgmt_class = kDirected, .version = 1});
  const uint64_t methods = 1 << kGet | 1 << 5;
  add(b.fd, (struct wanted){.mgmt_class = kSm, .version = 1, .methods = methods});
  add(b.fd, (struct wanted){.mgmt_class = kDirected, .version = 1, .methods = methods});
  for (int by = 0; by < 2; ++by) {
    if (by == 0)
      start(&m, by_lid, b.lid, kSm, kGet);
    else
      start_directed(&m, directed, kSmInfo, 2, 1);
    m.mad[17] = kSmInfo;
    m.mad[130] = by == 0 ? 0 : 3;  // H1 and H2 are at ports 2 and 3 of one switch
    send_mad(a.fd, &m, kWaitMs, 0);
    print_smp(by == 0 ? "SMInfo by LID" : "SMInfo by directed route", &answer,
              receive(b.fd, &answer, kWaitMs));
    make_response(&answer);
    answer.header.qkey = 0;
    if (by != 0) answer.mad[4] = 0x80;
    line("its answer", "%s", outcome(send_mad(b.fd, &answer, 0, 0)));
    print_smp("its answer", &m, receive(a.fd, &m, kWaitMs));
  }
  start(&m, by_lid, b.lid, kSm, kGet);
  m.mad[17] = kNodeInfo;
  send_mad(a.fd, &m, 1000, 0);
  print_smp("NodeInfo does not reach the manager", &answer, receive(b.fd, &answer, kQuietMs));
  print_smp("NodeInfo", &m, receive(a.fd, &m, kWaitMs));
  close(issm);
  drop_agents(a.fd);
  drop_agents(b.fd);
}

// --- issm

static const char* is_sm(long id) {
  struct message m;
  start_directed(&m, id, kPortInfo, 0, 0);
  m.mad[23] = 1;
  send_mad(a.fd, &m, 1000, 0);
  if (receive(a.fd, &m, kWaitMs) < 0) return "unknown";
  return get32(m.mad + 64 + 20) & 2 ? "set" : "clear";
}

static void test_issm(void) {
  uint8_t byte = 0;
  const long id = add(a.fd, (struct wanted){.mgmt_class = kDirected, .version = 1});
  line("IsSM", "%s", is_sm(id));
  const int first = open_issm(a.device, O_RDWR | O_NONBLOCK);
  line("open of issm", "%s, IsSM %s", outcome(first), is_sm(id));
  line("a second open with O_NONBLOCK", "%s", outcome(open_issm(a.device, O_RDWR | O_NONBLOCK)));
  start_alarm();
  const long begun = ms_now();
  const int second = open_issm(a.device, O_RDWR);
  stop_alarm();
  line("a second open that a signal ends", "%s", outcome(second));
  line("a second open waits", "%s", ms_now() - begun >= 250 ? "yes" : "no");
  line("read of issm", "%s", outcome(do_read(first, &byte, 1)));
  line("write to issm", "%s", outcome(do_write(first, &byte, 1)));
  close(first);
  line("close of issm", "IsSM %s", is_sm(id));
  const int again = open_issm(a.device, O_RDONLY);
  line("open for reading", "%s, IsSM %s", outcome(again), is_sm(id));
  close(again);
  drop_agents(a.fd);
}

// --- the form of the header that programs of old use

static void test_old_header(void) {
  uint8_t raw[kOldHeader + kMad] = {0};
  struct message m;
  char path[300];
  if (umad_get_issm_path(a.device, 1, path, sizeof path) < 0) return;
  memcpy(strstr(path, "issm"), "umad", 4);
  const int fd = open(path, O_RDWR);
  struct ib_user_mad_reg_req request = {.qpn = 1, .mgmt_class = kVendor, .mgmt_class_version = 1};
  line("old header: register", "%s", outcome(do_ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &request)));
  line("old header: enable_pkey after it", "%s",
       outcome(do_ioctl(fd, IB_USER_MAD_ENABLE_PKEY, NULL)));
  start(&m, (long)request.id, 0xBF00, kVendor, kGet);
  m.header.timeout_ms = 200;
  memcpy(raw, &m.header, kOldHeader);
  memcpy(raw + kOldHeader, m.mad, kMad);
  line("old header: write", "%ld", do_write(fd, raw, sizeof raw) - kOldHeader);
  line("old header: read", "%ld", do_read(fd, raw, sizeof raw) - kOldHeader);
  close(fd);
}

// --- a device that is pulled out while it is open: only the kernel has that

static int test_pulled(const char* device) {
  struct message m;
  char path[300];
  struct pollfd wait;
  open_port(&a, device);
  const long id = add_vendor(a.fd, 0);
  const int issm = open_issm(device, O_RDWR | O_NONBLOCK);
  if (issm < 0 || umad_get_issm_path(device, 1, path, sizeof path) < 0) return 2;
  start(&m, id, 0xBF00, kVendor, kGet);
  send_mad(a.fd, &m, 60000, 0);
  printf("waits\n");
  fflush(stdout);
  wait = (struct pollfd){.fd = a.fd, .events = POLLIN};
  const int ready = poll(&wait, 1, 30000);
  line("pulled out: poll", "%d, %s%s", ready, wait.revents & POLLERR ? "error" : "",
       wait.revents & POLLIN ? ", in" : "");
  line("pulled out: read", "%s", outcome(do_read(a.fd, &m, sizeof m)));
  start(&m, id, 0xBF00, kVendor, kGet);
  line("pulled out: write", "%s", outcome(send_mad(a.fd, &m, 0, 0)));
  line("pulled out: register", "%s", outcome(add_vendor(a.fd, 0)));
  line("pulled out: unregister", "%s", outcome(removed(a.fd, (uint32_t)id)));
  usleep(500000);
  line("pulled out: open of issm", "%s", open(path, O_RDWR) < 0 ? strerrorname_np(errno) : "ok");
  line("pulled out: close", "%s, issm %s", outcome(close(a.fd) < 0 ? -errno : 0),
       outcome(close(issm) < 0 ? -errno : 0));
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr,
            "usage: umad_behaviour DEVICE_A DEVICE_B\n       umad_behaviour pulled DEVICE\n");
    return 2;
  }
  umad_init();
  if (strcmp(argv[1], "pulled") == 0) return test_pulled(argv[2]);
  open_port(&a, argv[1]);
  open_port(&b, argv[2]);
  test_registration();
  test_registration_errors();
  test_calls();
  test_waiting();
  test_timeout();
  test_short_and_close();
  test_answers();
  test_retries();
  test_unanswerable();
  test_addresses();
  test_grh();
  test_rmpp();
  test_directed();
  test_lid_routed();
  test_sm_agent();
  test_issm();
  test_old_header();
  return 0;
}
