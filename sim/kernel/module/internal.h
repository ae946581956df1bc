/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Declarations that the files of the module share. */
#ifndef HEDDLE_HCA_INTERNAL_H
#define HEDDLE_HCA_INTERNAL_H

#include <linux/version.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "sim/kernel/module/heddle_hca_abi.h"

struct heddle_hca;
struct heddle_qp;

struct heddle_port {
	struct heddle_hca *hca;
	u32 number;
	spinlock_t lock; /* of all that follows; taken after no other lock of the module but a QP's */
	u8 port_info[64];
	u32 flags;
	u32 guid_count, p_key_count;
	__be64 guids[HEDDLE_HCA_GUIDS_MAX];
	u16 p_keys[HEDDLE_HCA_P_KEYS_MAX];
};

struct heddle_hca {
	struct ib_device ib;
	u16 number; /* the owner's */
	u32 vendor_id, device_id;
	u32 port_count;
	bool registered; /* of ib_register_device(); written by the ordered work only */
	bool dead;       /* its owner has gone, or pulls it out: no question is asked any more */
	bool has_ethernet; /* as Omni-Path has it: VNICs and MADs of 2,048 bytes */
	spinlock_t qps_lock; /* of both lists */
	struct list_head qps, vnics;
	u32 next_qpn;
	struct heddle_port ports[HEDDLE_HCA_PORTS_MAX];
};

static inline struct heddle_hca *to_hca(struct ib_device *ib)
{
	return container_of(ib, struct heddle_hca, ib);
}

static inline struct heddle_port *port_of(struct heddle_hca *hca, u32 number)
{
	return number >= 1 && number <= hca->port_count ? &hca->ports[number - 1] : NULL;
}

/* PortInfo, IBTA Vol 1, 14.2.5.6: offsets of bytes. */
enum {
	PI_GID_PREFIX = 8,
	PI_LID = 16,
	PI_SM_LID = 18,
	PI_CAPABILITY_MASK = 20,
	PI_WIDTH_ACTIVE = 31,
	PI_STATE = 32,
	PI_PHYSICAL_STATE = 33,
	PI_LMC = 34,
	PI_SPEED = 35,
	PI_MTU_SM_SL = 36,
	PI_VL_CAP = 37,
	PI_MTU_CAP = 41,
	PI_OPERATIONAL_VLS = 43,
	PI_M_KEY_VIOLATIONS = 44,
	PI_P_KEY_VIOLATIONS = 46,
	PI_Q_KEY_VIOLATIONS = 48,
	PI_GUID_CAP = 50,
	PI_SUBNET_TIMEOUT = 51,
	PI_CAPABILITY_MASK2 = 60,
	PI_SPEED_EXTENDED = 62,
};

/* hca.c: the device and its ports. */
struct heddle_hca *heddle_hca_alloc(const struct heddle_hca_create *message);
void heddle_port_update(struct heddle_hca *hca, const struct heddle_hca_port *message);
int heddle_hca_register(struct heddle_hca *hca);
void heddle_hca_destroy(struct heddle_hca *hca);
u16 heddle_port_p_key(struct heddle_port *port, u32 index);
/* The index of a partition in the port's table, or -1. */
int heddle_port_p_key_index(struct heddle_port *port, u16 p_key);

/* completions.c */
extern const struct ib_device_ops heddle_cq_ops;
void heddle_complete(struct ib_cq *ib, const struct ib_wc *wc);

/* verbs.c: queue pairs, packets. */
extern const struct ib_device_ops heddle_verbs_ops;
void heddle_receive(struct heddle_hca *hca, const struct heddle_hca_packet *packet,
		    size_t payload_bytes);

/* ethernet.c: frames of virtual Ethernet switches. */
struct net_device *heddle_alloc_netdev(struct ib_device *ib, u32 port, enum rdma_netdev_t type,
				       const char *name, unsigned char name_assign_type,
				       void (*setup)(struct net_device *));
void heddle_receive_frame(struct heddle_hca *hca, const struct heddle_hca_packet *packet,
			  size_t payload_bytes);

/* owner.c: the program that simulates the fabric. */
struct device *heddle_owner_device(void);
void heddle_notify(struct heddle_hca *hca, u32 port, u16 type, struct heddle_hca_header *message,
		 size_t size_bytes);
struct heddle_hca_packet *heddle_new_packet(size_t payload_bytes);
void heddle_send_packet(struct heddle_hca *hca, u32 port, struct heddle_hca_packet *packet,
			size_t payload_bytes);
int heddle_ask(struct heddle_hca *hca, u32 port, u32 flags, u32 slid, const void *request,
	       void *answer);

#endif
