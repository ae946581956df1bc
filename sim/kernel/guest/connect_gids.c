// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// connect_gids [-d | -n | -u] SGID DGID: connects two ports of this machine by the kernel's
// connection manager, with addresses that are GIDs (AF_IB): a listener at DGID (-n and -u: there is
// none), and a connection from SGID, which with -u is not bound to its port first. Prints the path,
// what queue pairs of both sides would be set to, and "connected" after REQ, REP and RTU. With -d
// the service is UD: prints where datagrams would be sent to, after SIDR_REQ and SIDR_REP. There is
// no queue pair: the kernel takes a number for one.
// Sources: include/uapi/rdma/rdma_user_cm.h, ib_user_sa.h, ib_user_verbs.h; sockaddr_ib of
// include/rdma/ib.h.

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/ib_user_sa.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_cm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kAfIb = 27, kQpTypeRc = 2, kQpTypeUd = 4, kReadyToReceive = 2 };
enum { kTimeoutMs = 4000, kPort = 7471, kPortBits = 16 };
enum {
  kAddressResolved = 0,
  kRouteResolved = 2,
  kConnectRequest = 4,
  kConnectResponse = 5,
  kEstablished = 9
};

struct gid_address {  // sockaddr_ib
  uint16_t family;
  uint16_t p_key;
  uint32_t flow;
  uint8_t gid[16];
  uint64_t service, service_mask, scope;
};

static int channel;
static int is_datagram;

static uint16_t port_space(void) { return is_datagram ? RDMA_PS_UDP : RDMA_PS_TCP; }

static int command(uint32_t cmd, const void *in, uint16_t in_bytes, uint16_t out_bytes) {
  struct {
    struct rdma_ucm_cmd_hdr header;
    uint8_t body[768];
  } message;
  message.header = (struct rdma_ucm_cmd_hdr){.cmd = cmd, .in = in_bytes, .out = out_bytes};
  memcpy(message.body, in, in_bytes);
  const ssize_t size = sizeof message.header + in_bytes;
  return write(channel, &message, size) == size ? 0 : -errno;
}

static void must(int error, const char *what) {
  if (error == 0) return;
  printf("%s: %s\n", what, strerror(-error));
  exit(1);
}

static struct gid_address address(const char *gid, uint16_t port) {
  struct gid_address to = {.family = kAfIb,
                           .p_key = htons(0xFFFF),
                           .service = htobe64((uint64_t)port_space() << kPortBits | port),
                           .service_mask = UINT64_MAX};
  if (inet_pton(AF_INET6, gid, to.gid) != 1) must(-EINVAL, gid);
  return to;
}

/// `uid` is not 0: the kernel reports nothing about connections without one.
static uint32_t create(uint64_t uid) {
  struct rdma_ucm_create_id_resp created;
  struct rdma_ucm_create_id request = {
      .uid = uid,
      .response = (uintptr_t)&created,
      .ps = port_space(),
      .qp_type = is_datagram ? kQpTypeUd : kQpTypeRc};
  must(command(RDMA_USER_CM_CMD_CREATE_ID, &request, sizeof request, sizeof created), "create");
  return created.id;
}

static void bind_to(uint32_t id, const struct gid_address *own) {
  struct rdma_ucm_bind request = {.id = id, .addr_size = sizeof *own};
  memcpy(&request.addr, own, sizeof *own);
  must(command(RDMA_USER_CM_CMD_BIND, &request, sizeof request, 0), "bind");
}

static void print_gid(const uint8_t *gid) {
  char text[INET6_ADDRSTRLEN];
  printf("%s", inet_ntop(AF_INET6, gid, text, sizeof text));
}

/// The path of the connection as the subnet administration answered. Source: IBTA Vol 1, 15.2.5.16.
static void print_path(uint32_t id) {
  struct {
    struct rdma_ucm_query_path_resp head;
    struct ib_path_rec_data path;
  } answer = {0};
  struct rdma_ucm_query request = {
      .response = (uintptr_t)&answer, .id = id, .option = RDMA_USER_CM_QUERY_PATH};
  must(command(RDMA_USER_CM_CMD_QUERY, &request, sizeof request, sizeof answer), "query");
  const uint8_t *record = (const uint8_t *)answer.path.path_rec;
  printf("path: DLID %u, hop limit %u, DGID ", record[40] << 8 | record[41], record[47]);
  print_gid(record + 8);
  printf("\n");
}

static void print_address(const char *which, const struct ib_uverbs_ah_attr *to) {
  printf("%s: DLID %u, ", which, to->dlid);
  if (to->is_global == 0) {
    printf("no GRH\n");
    return;
  }
  printf("hop limit %u, DGID ", to->grh.hop_limit);
  print_gid(to->grh.dgid);
  printf("\n");
}

/// Prints the address to which the kernel would set a queue pair that receives, and then sends.
static void print_queue_pair(const char *which, uint32_t id) {
  struct ib_uverbs_qp_attr answer = {0};
  struct rdma_ucm_init_qp_attr request = {
      .response = (uintptr_t)&answer, .id = id, .qp_state = kReadyToReceive};
  must(command(RDMA_USER_CM_CMD_INIT_QP_ATTR, &request, sizeof request, sizeof answer), which);
  print_address(which, &answer.ah_attr);
}

static void resolve(uint32_t id, const struct gid_address *to) {
  struct rdma_ucm_resolve_addr request = {
      .id = id, .timeout_ms = kTimeoutMs, .dst_size = sizeof *to};
  memcpy(&request.dst_addr, to, sizeof *to);
  must(command(RDMA_USER_CM_CMD_RESOLVE_ADDR, &request, sizeof request, 0), "resolve address");
}

static struct rdma_ucm_conn_param parameters(uint32_t qpn) {
  return (struct rdma_ucm_conn_param){.qp_num = qpn,
                                      .responder_resources = 1,
                                      .initiator_depth = 1,
                                      .retry_count = 7,
                                      .rnr_retry_count = 7,
                                      .valid = 1};
}

static void accept_on(uint32_t id, struct rdma_ucm_conn_param how) {
  struct rdma_ucm_accept request = {.uid = id + 1, .conn_param = how, .id = id};
  must(command(RDMA_USER_CM_CMD_ACCEPT, &request, sizeof request, 0), "accept");
}

/// Returns true if the connection is established.
static int handle(const struct rdma_ucm_event_resp *event) {
  if (event->event == kAddressResolved) {
    struct rdma_ucm_resolve_route request = {.id = event->id, .timeout_ms = kTimeoutMs};
    must(command(RDMA_USER_CM_CMD_RESOLVE_ROUTE, &request, sizeof request, 0), "resolve route");
  } else if (event->event == kRouteResolved) {
    print_path(event->id);
    struct rdma_ucm_connect request = {.conn_param = parameters(0x100), .id = event->id};
    must(command(RDMA_USER_CM_CMD_CONNECT, &request, sizeof request, 0), "connect");
  } else if (event->event == kConnectRequest) {
    if (!is_datagram) print_queue_pair("passive side", event->id);
    accept_on(event->id, parameters(0x200));
  } else if (event->event == kConnectResponse) {
    print_queue_pair("active side", event->id);
    accept_on(event->id, (struct rdma_ucm_conn_param){0});
  } else if (event->event == kEstablished) {
    if (is_datagram) print_address("datagrams", &event->param.ud.ah_attr);
    printf("connected\n");
    return 1;
  } else {
    printf("event %u, status %d\n", event->event, (int)event->status);
    exit(1);
  }
  return 0;
}

int main(int argc, char **argv) {
  const char option = argc == 4 && argv[1][0] == '-' ? argv[1][1] : 0;
  if (argc != (option == 0 ? 3 : 4) || (option != 0 && strchr("dnu", option) == NULL)) {
    fprintf(stderr, "usage: connect_gids [-d | -n | -u] SGID DGID\n");
    return 2;
  }
  is_datagram = option == 'd';
  const struct gid_address own = address(argv[argc - 2], 0), to = address(argv[argc - 1], kPort);
  channel = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
  if (channel < 0) must(-errno, "/dev/infiniband/rdma_cm");
  if (option == 0 || is_datagram) {
    struct rdma_ucm_listen listen = {.id = create(1), .backlog = 1};
    bind_to(listen.id, &to);
    must(command(RDMA_USER_CM_CMD_LISTEN, &listen, sizeof listen, 0), "listen");
  }
  const uint32_t active = create(2);
  if (option != 'u') bind_to(active, &own);
  resolve(active, &to);
  for (;;) {
    struct pollfd wait = {.fd = channel, .events = POLLIN};
    if (poll(&wait, 1, 10 * kTimeoutMs) <= 0) must(-ETIMEDOUT, "no event");
    struct rdma_ucm_event_resp event;
    struct rdma_ucm_get_event get = {.response = (uintptr_t)&event};
    must(command(RDMA_USER_CM_CMD_GET_EVENT, &get, sizeof get, sizeof event), "event");
    if (handle(&event)) return 0;
  }
}
