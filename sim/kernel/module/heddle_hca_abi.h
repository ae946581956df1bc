/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Messages between the kernel module heddle_hca and the program that simulates the fabric. The
 * program opens HEDDLE_HCA_PATH, which has one owner at a time; each write() has whole messages,
 * each read() returns as many whole messages as fit. All integers are in the byte order of the
 * machine; MADs, GIDs, GRHs and PortInfo are as on the wire.
 */
#ifndef HEDDLE_HCA_ABI_H
#define HEDDLE_HCA_ABI_H

#include <linux/types.h>

#define HEDDLE_HCA_PATH "/dev/heddle-hca"
#define HEDDLE_HCA_PORTS_MAX 2
#define HEDDLE_HCA_GUIDS_MAX 64
#define HEDDLE_HCA_P_KEYS_MAX 128
#define HEDDLE_HCA_PAYLOAD_MAX 4096 /* of a packet, without its GRH */
#define HEDDLE_HCA_MULTICAST_QP 0xffffffu
#define HEDDLE_HCA_ETHERNET_QP 0x1000000u /* no queue pair: a frame of a virtual Ethernet switch */

enum heddle_hca_type {
	/* To the kernel. */
	HEDDLE_HCA_CREATE = 1, /* struct heddle_hca_create; the ports follow as HEDDLE_HCA_PORT */
	HEDDLE_HCA_PORT,       /* struct heddle_hca_port: what changed raises the port's events */
	HEDDLE_HCA_REGISTER,   /* all ports are known: the device appears */
	HEDDLE_HCA_RECEIVE,    /* struct heddle_hca_packet: it has arrived at the port */
	HEDDLE_HCA_REPLY,      /* struct heddle_hca_local_mad: the answer to the one of this cookie */
	HEDDLE_HCA_DESTROY,    /* the HCA is pulled out */
	/* From the kernel. */
	HEDDLE_HCA_SEND,         /* struct heddle_hca_packet */
	HEDDLE_HCA_LOCAL_MAD,    /* struct heddle_hca_local_mad: the driver asks its firmware */
	HEDDLE_HCA_CAPABILITY,   /* struct heddle_hca_capability: of PortInfo:CapabilityMask */
	HEDDLE_HCA_DESCRIPTION,  /* struct heddle_hca_description: NodeDescription was written */
	HEDDLE_HCA_GONE,         /* after HEDDLE_HCA_DESTROY: the number is free again */
};

struct heddle_hca_header {
	__u32 size_bytes; /* of the message, this header included */
	__u16 type;       /* enum heddle_hca_type */
	__u16 hca;        /* the program's number for it */
	__u32 port;       /* 1 or 2, where the message is about a port */
	__u32 reserved;
};

struct heddle_hca_create {
	struct heddle_hca_header header;
	__be64 node_guid;
	__be64 system_image_guid;
	__u8 description[64];
	__u32 vendor_id;
	__u32 device_id;
	__u32 port_count;
	__u32 reserved;
};

/* Flags of a port. */
enum {
	HEDDLE_HCA_NO_QP0 = 1,       /* it has no subnet management interface */
	HEDDLE_HCA_GRH_REQUIRED = 2, /* all that it sends has a GRH, as that of an SR-IOV function */
	HEDDLE_HCA_ETHERNET = 4,     /* MADs of Omni-Path, and Ethernet over it */
};

struct heddle_hca_port {
	struct heddle_hca_header header;
	__u8 port_info[64];
	__u32 flags;
	__u32 reregister; /* 1: a subnet manager set ClientReregister */
	__u32 guid_count;
	__u32 p_key_count;
	__be64 guids[HEDDLE_HCA_GUIDS_MAX];
	__u16 p_keys[HEDDLE_HCA_P_KEYS_MAX];
};

struct heddle_hca_packet {
	struct heddle_hca_header header;
	__u32 slid, dlid;
	__u32 sqpn, dqpn;
	__u32 qkey;
	__u16 p_key;
	__u8 sl;
	__u8 has_grh;
	__u8 grh[40]; /* zero without one */
	/* The payload follows. */
};

enum {
	HEDDLE_HCA_IGNORE_M_KEY = 1, /* the driver's own question: no M_Key is checked */
	HEDDLE_HCA_NO_ANSWER = 2,    /* in a reply: the agent does not answer */
};

struct heddle_hca_local_mad {
	struct heddle_hca_header header;
	__u64 cookie;
	__u32 flags;
	__u32 slid;
	__u8 mad[256];
};

struct heddle_hca_capability {
	struct heddle_hca_header header;
	__u32 set, clear; /* bits of PortInfo:CapabilityMask */
};

struct heddle_hca_description {
	struct heddle_hca_header header;
	__u8 description[64];
};

#endif
