// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The device and its ports: what the kernel reads of PortInfo, the events that follow from a
 * change, and what it asks of the firmware.
 */
#include <linux/module.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "sim/kernel/module/internal.h"

static u16 get16(const u8 *port_info, u32 offset)
{
	return port_info[offset] << 8 | port_info[offset + 1];
}

static u32 get32(const u8 *port_info, u32 offset)
{
	return (u32)get16(port_info, offset) << 16 | get16(port_info, offset + 2);
}

/* ---------------------------------------------------------------------------------------------
 * Ports
 */

struct events {
	enum ib_event_type types[8];
	u32 count;
};

static void add(struct events *events, bool happened, enum ib_event_type type)
{
	if (happened)
		events->types[events->count++] = type;
}

/* Drivers report these events when their firmware says that the port changed (mlx4: smp_snoop, mlx5:
 * handle_port_change). */
static struct events differences(const struct heddle_port *port,
				 const struct heddle_hca_port *now)
{
	const u8 *old_info = port->port_info, *info = now->port_info;
	struct events events = { .count = 0 };
	bool was_active = (old_info[PI_STATE] & 0xf) == IB_PORT_ACTIVE;
	bool is_active = (info[PI_STATE] & 0xf) == IB_PORT_ACTIVE;

	add(&events, port->p_key_count != now->p_key_count ||
			     memcmp(port->p_keys, now->p_keys, sizeof(port->p_keys)),
	    IB_EVENT_PKEY_CHANGE);
	add(&events, memcmp(old_info + PI_GID_PREFIX, info + PI_GID_PREFIX, 8) ||
			     port->guid_count != now->guid_count ||
			     memcmp(port->guids, now->guids, sizeof(port->guids)),
	    IB_EVENT_GID_CHANGE);
	add(&events, get16(old_info, PI_LID) != get16(info, PI_LID) ||
			     (old_info[PI_LMC] & 7) != (info[PI_LMC] & 7),
	    IB_EVENT_LID_CHANGE);
	add(&events, get16(old_info, PI_SM_LID) != get16(info, PI_SM_LID) ||
			     (old_info[PI_MTU_SM_SL] & 0xf) != (info[PI_MTU_SM_SL] & 0xf),
	    IB_EVENT_SM_CHANGE);
	add(&events, is_active && !was_active, IB_EVENT_PORT_ACTIVE);
	add(&events, was_active && !is_active, IB_EVENT_PORT_ERR);
	add(&events, now->reregister, IB_EVENT_CLIENT_REREGISTER);
	return events;
}

void heddle_port_update(struct heddle_hca *hca, const struct heddle_hca_port *message)
{
	struct heddle_port *port = port_of(hca, message->header.port);
	struct events events;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&port->lock, flags);
	events = differences(port, message);
	memcpy(port->port_info, message->port_info, sizeof(port->port_info));
	memcpy(port->guids, message->guids, sizeof(port->guids));
	memcpy(port->p_keys, message->p_keys, sizeof(port->p_keys));
	port->flags = message->flags;
	port->guid_count = message->guid_count;
	port->p_key_count = message->p_key_count;
	spin_unlock_irqrestore(&port->lock, flags);
	if (!smp_load_acquire(&hca->registered))
		return;
	for (i = 0; i < events.count; i++) {
		struct ib_event event = {
			.device = &hca->ib,
			.element.port_num = port->number,
			.event = events.types[i],
		};

		ib_dispatch_event(&event);
	}
}

u16 heddle_port_p_key(struct heddle_port *port, u32 index)
{
	unsigned long flags;
	u16 p_key;

	spin_lock_irqsave(&port->lock, flags);
	p_key = index < port->p_key_count ? port->p_keys[index] : 0;
	spin_unlock_irqrestore(&port->lock, flags);
	return p_key;
}

int heddle_port_p_key_index(struct heddle_port *port, u16 p_key)
{
	unsigned long flags;
	int found = -1;
	u32 i;

	spin_lock_irqsave(&port->lock, flags);
	for (i = 0; i < port->p_key_count && found < 0; i++)
		if ((port->p_keys[i] & 0x7fff) && ((port->p_keys[i] ^ p_key) & 0x7fff) == 0)
			found = i;
	spin_unlock_irqrestore(&port->lock, flags);
	return found;
}

/* LinkSpeedExtActive counts where it is not 0 (IBTA Vol 1, 14.2.5.6). */
static u16 active_speed(const u8 *info)
{
	u8 extended = info[PI_SPEED_EXTENDED] >> 4;

	return extended ? (u16)extended << 4 : info[PI_SPEED] >> 4;
}

static int query_port(struct ib_device *ib, u32 number, struct ib_port_attr *attr)
{
	struct heddle_port *port = port_of(to_hca(ib), number);
	const u8 *info = port->port_info;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	attr->state = info[PI_STATE] & 0xf;
	attr->phys_state = info[PI_PHYSICAL_STATE] >> 4;
	attr->max_mtu = info[PI_MTU_CAP] & 0xf;
	attr->active_mtu = info[PI_MTU_SM_SL] >> 4 ?: IB_MTU_256;
	attr->gid_tbl_len = port->guid_count;
	attr->pkey_tbl_len = port->p_key_count;
	attr->port_cap_flags = get32(info, PI_CAPABILITY_MASK);
	attr->port_cap_flags2 = get16(info, PI_CAPABILITY_MASK2);
	attr->phys_mtu = ib_mtu_enum_to_int(attr->active_mtu); /* of ports of Omni-Path */
	attr->max_msg_sz = 0x40000000;
	attr->bad_pkey_cntr = get16(info, PI_P_KEY_VIOLATIONS);
	attr->qkey_viol_cntr = get16(info, PI_Q_KEY_VIOLATIONS);
	attr->lid = get16(info, PI_LID);
	attr->lmc = info[PI_LMC] & 7;
	attr->sm_lid = get16(info, PI_SM_LID);
	attr->sm_sl = info[PI_MTU_SM_SL] & 0xf;
	attr->max_vl_num = info[PI_VL_CAP] >> 4;
	attr->subnet_timeout = info[PI_SUBNET_TIMEOUT] & 0x1f;
	attr->init_type_reply = info[PI_MTU_CAP] >> 4;
	attr->active_width = info[PI_WIDTH_ACTIVE] ?: IB_WIDTH_4X;
	attr->active_speed = active_speed(info) ?: IB_SPEED_SDR;
	spin_unlock_irqrestore(&port->lock, flags);
	return 0;
}

static int port_immutable(struct ib_device *ib, u32 number, struct ib_port_immutable *immutable)
{
	struct heddle_port *port = port_of(to_hca(ib), number);

	immutable->pkey_tbl_len = port->p_key_count;
	immutable->gid_tbl_len = port->guid_count;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	if (port->flags & HEDDLE_HCA_NO_QP0)
		immutable->core_cap_flags &= ~RDMA_CORE_CAP_IB_SMI;
	if (port->flags & HEDDLE_HCA_GRH_REQUIRED)
		immutable->core_cap_flags |= RDMA_CORE_CAP_IB_GRH_REQUIRED;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	if (port->flags & HEDDLE_HCA_ETHERNET) {
		immutable->core_cap_flags |= RDMA_CORE_CAP_OPA_MAD;
		immutable->max_mad_size = OPA_MGMT_MAD_SIZE;
	}
	return 0;
}

static int query_gid(struct ib_device *ib, u32 number, int index, union ib_gid *gid)
{
	struct heddle_port *port = port_of(to_hca(ib), number);
	unsigned long flags;

	memset(gid, 0, sizeof(*gid));
	spin_lock_irqsave(&port->lock, flags);
	memcpy(&gid->global.subnet_prefix, port->port_info + PI_GID_PREFIX, 8);
	if (index < port->guid_count)
		gid->global.interface_id = port->guids[index];
	spin_unlock_irqrestore(&port->lock, flags);
	if (gid->global.interface_id == 0)
		memset(gid, 0, sizeof(*gid));
	return 0;
}

static int query_pkey(struct ib_device *ib, u32 number, u16 index, u16 *p_key)
{
	*p_key = heddle_port_p_key(port_of(to_hca(ib), number), index);
	return 0;
}

static enum rdma_link_layer link_layer(struct ib_device *ib, u32 number)
{
	return IB_LINK_LAYER_INFINIBAND;
}

/* ---------------------------------------------------------------------------------------------
 * The device
 */

static int modify_port(struct ib_device *ib, u32 number, int mask, struct ib_port_modify *modify)
{
	struct heddle_hca_capability message = {
		.set = modify->set_port_cap_mask,
		.clear = modify->clr_port_cap_mask,
	};

	/* Ethernet on the fabric is in a mask of Omni-Path, which PortInfo does not have. */
	if (!(mask & IB_PORT_OPA_MASK_CHG) && (message.set || message.clear))
		heddle_notify(to_hca(ib), number, HEDDLE_HCA_CAPABILITY, &message.header,
			    sizeof(message));
	return 0;
}

static int modify_device(struct ib_device *ib, int mask, struct ib_device_modify *modify)
{
	struct heddle_hca_description message = {};

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	memcpy(ib->node_desc, modify->node_desc, sizeof(message.description));
	memcpy(message.description, modify->node_desc, sizeof(message.description));
	heddle_notify(to_hca(ib), 0, HEDDLE_HCA_DESCRIPTION, &message.header, sizeof(message));
	return 0;
}

static int query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	const struct heddle_hca *hca = to_hca(ib);

	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = 1ull << 32;
	attr->sys_image_guid = ib->attrs.sys_image_guid;
	attr->max_mr_size = ~0ull;
	attr->page_size_cap = PAGE_SIZE;
	attr->vendor_id = hca->vendor_id;
	attr->vendor_part_id = hca->device_id;
	attr->max_qp = 65536;
	attr->max_qp_wr = 16384;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_BLOCK_MULTICAST_LOOPBACK;
	if (hca->has_ethernet)
		attr->kernel_cap_flags |= IBK_RDMA_NETDEV_OPA;
	attr->max_send_sge = 32;
	attr->max_recv_sge = 32;
	attr->max_sge_rd = 1;
	attr->max_cq = 65536;
	attr->max_cqe = 65536;
	attr->max_mr = 65536;
	attr->max_pd = 65536;
	attr->max_ah = 1 << 20;
	attr->max_mcast_grp = 8192;
	attr->max_mcast_qp_attach = 256;
	attr->max_total_mcast_qp_attach = 1 << 20;
	attr->max_pkeys = HEDDLE_HCA_P_KEYS_MAX;
	return 0;
}

/* Class and method as a driver's firmware takes them (mlx5: mad.c). */
static bool is_for_firmware(const struct ib_mad_hdr *mad)
{
	bool is_smp = mad->mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
		      mad->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;

	if (is_smp)
		return (mad->method == IB_MGMT_METHOD_GET || mad->method == IB_MGMT_METHOD_SET ||
			mad->method == IB_MGMT_METHOD_TRAP_REPRESS) &&
		       mad->attr_id != IB_SMP_ATTR_SM_INFO;
	return mad->mgmt_class == IB_MGMT_CLASS_PERF_MGMT &&
	       (mad->method == IB_MGMT_METHOD_GET || mad->method == IB_MGMT_METHOD_SET);
}

/*
 * Without a completion it is the kernel itself that asks (sysfs: port counters). A MAD that came
 * over the wire and is for the firmware has been answered by the simulated node; what gets here are
 * SMPs of this host to its own port.
 */
static int process_mad(struct ib_device *ib, int mad_flags, u32 number, const struct ib_wc *in_wc,
		       const struct ib_grh *in_grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_size, u16 *out_pkey_index)
{
	struct heddle_hca *hca = to_hca(ib);
	bool ignore = !in_wc || (mad_flags & IB_MAD_IGNORE_MKEY);

	if (!is_for_firmware(&in->mad_hdr))
		return in_wc ? IB_MAD_RESULT_SUCCESS : IB_MAD_RESULT_FAILURE;
	if (heddle_ask(hca, number, ignore ? HEDDLE_HCA_IGNORE_M_KEY : 0, in_wc ? in_wc->slid : 0,
		       in, out))
		return in_wc ? IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED :
			       IB_MAD_RESULT_FAILURE;
	if (in->mad_hdr.method == IB_MGMT_METHOD_TRAP_REPRESS)
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static const struct ib_device_ops device_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = 1,
	.query_device = query_device,
	.modify_device = modify_device,
	.query_port = query_port,
	.modify_port = modify_port,
	.query_gid = query_gid,
	.query_pkey = query_pkey,
	.get_port_immutable = port_immutable,
	.get_link_layer = link_layer,
	.process_mad = process_mad,
	.alloc_rdma_netdev = heddle_alloc_netdev,
};

struct heddle_hca *heddle_hca_alloc(const struct heddle_hca_create *message)
{
	struct heddle_hca *hca = ib_alloc_device(heddle_hca, ib);
	u32 i;

	if (!hca)
		return NULL;
	hca->number = message->header.hca;
	hca->vendor_id = message->vendor_id;
	hca->device_id = message->device_id;
	hca->port_count = message->port_count;
	spin_lock_init(&hca->qps_lock);
	INIT_LIST_HEAD(&hca->qps);
	INIT_LIST_HEAD(&hca->vnics);
	hca->next_qpn = 0x100;
	for (i = 0; i < hca->port_count; i++) {
		hca->ports[i].hca = hca;
		hca->ports[i].number = i + 1;
		spin_lock_init(&hca->ports[i].lock);
	}
	/* Asked by ethtool, the kernel names the parent without a check: ipoib_get_drvinfo(). */
	hca->ib.dev.parent = heddle_owner_device();
	hca->ib.node_type = RDMA_NODE_IB_CA;
	hca->ib.node_guid = message->node_guid;
	hca->ib.attrs.sys_image_guid = message->system_image_guid;
	hca->ib.phys_port_cnt = message->port_count;
	hca->ib.num_comp_vectors = num_online_cpus();
	hca->ib.local_dma_lkey = 0;
	memcpy(hca->ib.node_desc, message->description, sizeof(message->description));
	ib_set_device_ops(&hca->ib, &device_ops);
	ib_set_device_ops(&hca->ib, &heddle_cq_ops);
	ib_set_device_ops(&hca->ib, &heddle_verbs_ops);
	return hca;
}

int heddle_hca_register(struct heddle_hca *hca)
{
	char name[IB_DEVICE_NAME_MAX];
	int error;

	hca->has_ethernet = hca->ports[0].flags & HEDDLE_HCA_ETHERNET;
	snprintf(name, sizeof(name), "heddle%u", hca->number);
	error = ib_register_device(&hca->ib, name, NULL);
	if (!error)
		smp_store_release(&hca->registered, true);
	return error;
}

void heddle_hca_destroy(struct heddle_hca *hca)
{
	if (hca->registered)
		ib_unregister_device(&hca->ib);
	ib_dealloc_device(&hca->ib);
}
