// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// resolve_routes NUMBER ADDRESS [TIMEOUT_MS]: resolves as many routes to an IPoIB address at once by
// the kernel's connection manager, as rdma_resolve_route() of as many connections does: each is a
// query of a PathRecord, and any failure ends its connection. Ends with 0 if all are resolved.
// Source: include/uapi/rdma/rdma_user_cm.h.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_user_cm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kAddressResolved = 0, kRouteResolved = 2, kWaitMs = 60000 };

static int channel;

static int command(uint32_t cmd, void *in, uint16_t in_bytes, uint16_t out_bytes) {
  struct {
    struct rdma_ucm_cmd_hdr header;
    uint8_t body[512];
  } message;
  message.header = (struct rdma_ucm_cmd_hdr){.cmd = cmd, .in = in_bytes, .out = out_bytes};
  memcpy(message.body, in, in_bytes);
  const ssize_t size = sizeof message.header + in_bytes;
  return write(channel, &message, size) == size ? 0 : -errno;
}

/// `uid` is not 0: the kernel reports nothing about connections without one.
static int create_and_resolve(uint64_t uid, const struct sockaddr_in *to, int timeout_ms,
                              uint32_t *id) {
  struct rdma_ucm_create_id_resp created;
  struct rdma_ucm_create_id create = {
      .uid = uid, .response = (uintptr_t)&created, .ps = RDMA_PS_UDP, .qp_type = 4 /* UD */};
  int error = command(RDMA_USER_CM_CMD_CREATE_ID, &create, sizeof create, sizeof created);
  if (error != 0) return error;
  *id = created.id;
  struct rdma_ucm_resolve_ip resolve = {.id = created.id, .timeout_ms = timeout_ms};
  memcpy(&resolve.dst_addr, to, sizeof *to);
  return command(RDMA_USER_CM_CMD_RESOLVE_IP, &resolve, sizeof resolve, 0);
}

int main(int argc, char **argv) {
  const int number = argc > 2 ? atoi(argv[1]) : 0;
  const int timeout_ms = argc > 3 ? atoi(argv[3]) : 2000;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7471)};
  if (number < 1 || inet_pton(AF_INET, argv[2], &to.sin_addr) != 1) {
    fprintf(stderr, "usage: resolve_routes NUMBER ADDRESS [TIMEOUT_MS]\n");
    return 2;
  }
  channel = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
  if (channel < 0) {
    perror("/dev/infiniband/rdma_cm");
    return 2;
  }
  uint32_t *ids = calloc(number, sizeof *ids);
  for (int i = 0; i < number; ++i) {
    const int error = create_and_resolve(i + 1, &to, timeout_ms, &ids[i]);
    if (error != 0) {
      fprintf(stderr, "connection %d: %s\n", i, strerror(-error));
      return 2;
    }
  }
  int ended = 0, resolved = 0, with_address = 0;
  while (ended < number) {
    struct pollfd wait = {.fd = channel, .events = POLLIN};
    if (poll(&wait, 1, kWaitMs) <= 0) break;
    struct rdma_ucm_event_resp event;
    struct rdma_ucm_get_event get = {.response = (uintptr_t)&event};
    if (command(RDMA_USER_CM_CMD_GET_EVENT, &get, sizeof get, sizeof event) != 0) break;
    if (event.event == kAddressResolved && ++with_address == number) {
      // All at once: this is the burst.
      for (int i = 0; i < number; ++i) {
        struct rdma_ucm_resolve_route route = {.id = ids[i], .timeout_ms = timeout_ms};
        if (command(RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route, sizeof route, 0) != 0) ++ended;
      }
    } else if (event.event != kAddressResolved) {
      ++ended;
      if (event.event == kRouteResolved)
        ++resolved;
      else
        fprintf(stderr, "event %u, status %d\n", event.event, event.status);
    }
  }
  printf("%d addresses, %d routes of %d resolved\n", with_address, resolved, number);
  return resolved == number ? 0 : 1;
}
