// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Queue pairs: QP 0 and QP 1 of each port for MADs, and unreliable datagrams.
 * Without a DMA device the core gives kernel addresses in scatter/gather elements
 * (ib_uses_virt_dma()).
 *
 * A send completes at once, as its packet is then in the fabric. All locks may be taken with
 * interrupts disabled: ib_mad posts sends under a lock of its own.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "sim/kernel/module/internal.h"

#define SGES_MAX 32
#define GRH_BYTES 40
#define GRH_IP_VERSION 6
#define GRH_NEXT_HEADER 0x1b /* IBTA Vol 1, 8.3.5: a transport header of IBA follows */

struct heddle_pd {
	struct ib_pd ib;
};

struct heddle_receive {
	struct ib_cqe *cqe;
	u32 sge_count;
	struct ib_sge sges[SGES_MAX];
};

struct group {
	struct list_head entry;
	union ib_gid gid;
};

struct heddle_qp {
	struct ib_qp ib;
	struct heddle_hca *hca;
	struct list_head entry; /* of the HCA's list, under its lock */
	spinlock_t lock;        /* of what follows */
	enum ib_qp_state state;
	u32 port;
	u32 qkey;
	u16 pkey_index;
	struct ib_qp_cap cap;
	enum ib_sig_type sig_type;
	struct list_head groups;
	struct heddle_receive *receives; /* a ring */
	u32 size, first, count;
	u64 dropped;
};

struct heddle_ah {
	struct ib_ah ib;
	u32 port, dlid;
	u8 sl, path_bits, has_grh, sgid_index;
	u8 grh[GRH_BYTES]; /* without its length */
};

/* ---------------------------------------------------------------------------------------------
 * Queue pairs
 */

static struct heddle_qp *to_qp(struct ib_qp *ib)
{
	return container_of(ib, struct heddle_qp, ib);
}

static int create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct heddle_hca *hca = to_hca(ib->device);
	struct heddle_qp *qp = to_qp(ib);
	unsigned long flags;

	if (init->qp_type != IB_QPT_SMI && init->qp_type != IB_QPT_GSI && init->qp_type != IB_QPT_UD)
		return -EOPNOTSUPP;
	if (init->srq || init->cap.max_recv_sge > SGES_MAX || init->cap.max_send_sge > SGES_MAX)
		return -EINVAL;
	qp->hca = hca;
	spin_lock_init(&qp->lock);
	INIT_LIST_HEAD(&qp->groups);
	qp->state = IB_QPS_RESET;
	qp->cap = init->cap;
	qp->sig_type = init->sq_sig_type;
	qp->port = init->qp_type == IB_QPT_UD ? 1 : init->port_num;
	qp->size = max(init->cap.max_recv_wr, 1u);
	qp->receives = vzalloc(array_size(qp->size, sizeof(*qp->receives)));
	if (!qp->receives)
		return -ENOMEM;
	spin_lock_irqsave(&hca->qps_lock, flags);
	ib->qp_num = init->qp_type == IB_QPT_SMI ? 0 :
		     init->qp_type == IB_QPT_GSI ? 1 :
						   hca->next_qpn;
	if (init->qp_type == IB_QPT_UD)
		hca->next_qpn = hca->next_qpn == 0xfffffe ? 0x100 : hca->next_qpn + 1;
	list_add_tail(&qp->entry, &hca->qps);
	spin_unlock_irqrestore(&hca->qps_lock, flags);
	return 0;
}

/* Ends all receives that wait; the QP's lock is held. */
static void flush(struct heddle_qp *qp)
{
	while (qp->count) {
		struct ib_wc wc = {
			.wr_cqe = qp->receives[qp->first].cqe,
			.status = IB_WC_WR_FLUSH_ERR,
			.opcode = IB_WC_RECV,
			.qp = &qp->ib,
		};

		qp->first = (qp->first + 1) % qp->size;
		qp->count--;
		heddle_complete(qp->ib.recv_cq, &wc);
	}
}

static int modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct heddle_qp *qp = to_qp(ib);
	enum ib_qp_state now, next;
	unsigned long flags;
	int error = 0;

	spin_lock_irqsave(&qp->lock, flags);
	now = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	next = mask & IB_QP_STATE ? attr->qp_state : now;
	if (now != qp->state || !ib_modify_qp_is_ok(now, next, ib->qp_type, mask)) {
		error = -EINVAL;
	} else {
		if (mask & IB_QP_PKEY_INDEX)
			qp->pkey_index = attr->pkey_index;
		if (mask & IB_QP_QKEY)
			qp->qkey = attr->qkey;
		if (mask & IB_QP_PORT)
			qp->port = attr->port_num;
		qp->state = next;
		if (next == IB_QPS_ERR)
			flush(qp);
		if (next == IB_QPS_RESET)
			qp->count = 0;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	return error;
}

static int query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	struct heddle_qp *qp = to_qp(ib);
	unsigned long flags;

	memset(attr, 0, sizeof(*attr));
	spin_lock_irqsave(&qp->lock, flags);
	attr->qp_state = attr->cur_qp_state = qp->state;
	attr->qkey = qp->qkey;
	attr->pkey_index = qp->pkey_index;
	attr->port_num = qp->port;
	attr->cap = qp->cap;
	spin_unlock_irqrestore(&qp->lock, flags);
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_type;
	return 0;
}

static int destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct heddle_qp *qp = to_qp(ib);
	struct group *group, *next;
	unsigned long flags;

	spin_lock_irqsave(&qp->hca->qps_lock, flags);
	list_del(&qp->entry);
	spin_unlock_irqrestore(&qp->hca->qps_lock, flags);
	list_for_each_entry_safe(group, next, &qp->groups, entry)
		kfree(group);
	vfree(qp->receives);
	return 0;
}

static int attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct heddle_qp *qp = to_qp(ib);
	struct group *group = kzalloc(sizeof(*group), GFP_KERNEL);
	unsigned long flags;

	if (!group)
		return -ENOMEM;
	group->gid = *gid;
	spin_lock_irqsave(&qp->lock, flags);
	list_add(&group->entry, &qp->groups);
	spin_unlock_irqrestore(&qp->lock, flags);
	return 0;
}

static struct group *find_group(struct heddle_qp *qp, const void *gid)
{
	struct group *group;

	list_for_each_entry(group, &qp->groups, entry)
		if (!memcmp(&group->gid, gid, sizeof(group->gid)))
			return group;
	return NULL;
}

static int detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid)
{
	struct heddle_qp *qp = to_qp(ib);
	struct group *group;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	group = find_group(qp, gid);
	if (group)
		list_del(&group->entry);
	spin_unlock_irqrestore(&qp->lock, flags);
	kfree(group);
	return group ? 0 : -EINVAL;
}

/* ---------------------------------------------------------------------------------------------
 * Packets
 */

static int create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct heddle_ah *ah = container_of(ib, struct heddle_ah, ib);
	const struct rdma_ah_attr *attr = init->ah_attr;
	const struct ib_global_route *route;
	u32 first_word;

	ah->port = rdma_ah_get_port_num(attr);
	ah->dlid = rdma_ah_get_dlid(attr);
	ah->sl = rdma_ah_get_sl(attr);
	ah->path_bits = rdma_ah_get_path_bits(attr);
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH))
		return 0;
	route = rdma_ah_read_grh(attr);
	first_word = GRH_IP_VERSION << 28 | route->traffic_class << 20 | (route->flow_label & 0xfffff);
	ah->has_grh = 1;
	ah->sgid_index = route->sgid_index;
	ah->grh[0] = first_word >> 24;
	ah->grh[1] = first_word >> 16;
	ah->grh[2] = first_word >> 8;
	ah->grh[3] = first_word;
	ah->grh[6] = GRH_NEXT_HEADER;
	ah->grh[7] = route->hop_limit;
	memcpy(ah->grh + 8, &route->sgid_attr->gid, 16);
	memcpy(ah->grh + 24, &route->dgid, 16);
	return 0;
}

/* ib_mad compares a response's source with it (ib_find_send_mad). */
static int query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr)
{
	const struct heddle_ah *ah = container_of(ib, struct heddle_ah, ib);
	union ib_gid dgid;

	memset(attr, 0, sizeof(*attr));
	attr->type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_port_num(attr, ah->port);
	rdma_ah_set_dlid(attr, ah->dlid);
	rdma_ah_set_sl(attr, ah->sl);
	rdma_ah_set_path_bits(attr, ah->path_bits);
	if (!ah->has_grh)
		return 0;
	memcpy(&dgid, ah->grh + 24, sizeof(dgid));
	rdma_ah_set_grh(attr, &dgid, (ah->grh[1] << 16 | ah->grh[2] << 8 | ah->grh[3]) & 0xfffff,
			ah->sgid_index, ah->grh[7], ah->grh[0] << 4 | ah->grh[1] >> 4);
	return 0;
}

static int destroy_ah(struct ib_ah *ib, u32 flags)
{
	return 0;
}

static int gather(void *to, const struct ib_sge *sges, int count)
{
	size_t done = 0;
	int i;

	for (i = 0; i < count; i++) {
		if (to)
			memcpy(to + done, (const void *)(uintptr_t)sges[i].addr, sges[i].length);
		done += sges[i].length;
	}
	return done;
}

static int send_datagram(struct heddle_qp *qp, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	const struct heddle_ah *ah = container_of(ud->ah, struct heddle_ah, ib);
	bool is_management = qp->ib.qp_type != IB_QPT_UD;
	u32 number = qp->ib.qp_type == IB_QPT_UD ? qp->port : ah->port;
	struct heddle_port *port = port_of(qp->hca, number);
	int payload_bytes = gather(NULL, wr->sg_list, wr->num_sge);
	struct heddle_hca_packet *packet;
	const u8 *lid;

	if (!port || payload_bytes > HEDDLE_HCA_PAYLOAD_MAX)
		return -EINVAL;
	packet = heddle_new_packet(payload_bytes);
	if (!packet)
		return -ENOMEM;
	lid = port->port_info + PI_LID;
	packet->slid = (lid[0] << 8 | lid[1]) + ah->path_bits;
	packet->dlid = ah->dlid;
	packet->sl = ah->sl;
	packet->sqpn = qp->ib.qp_num;
	packet->dqpn = ud->remote_qpn;
	/* IBTA Vol 1, 10.2.5: the sender's own Q_Key stands in for one with the highest bit set. */
	packet->qkey = ud->remote_qkey & 0x80000000u ? qp->qkey : ud->remote_qkey;
	packet->p_key = heddle_port_p_key(port, is_management ? ud->pkey_index : qp->pkey_index);
	packet->has_grh = ah->has_grh;
	if (ah->has_grh) {
		memcpy(packet->grh, ah->grh, GRH_BYTES);
		packet->grh[4] = payload_bytes >> 8;
		packet->grh[5] = payload_bytes;
	}
	gather(packet + 1, wr->sg_list, wr->num_sge);
	heddle_send_packet(qp->hca, number, packet, payload_bytes);
	return 0;
}

static int post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	struct heddle_qp *qp = to_qp(ib);
	int error = 0;

	for (; wr && !error; wr = wr->next) {
		struct ib_wc wc = { .wr_cqe = wr->wr_cqe, .opcode = IB_WC_SEND, .qp = ib };
		enum ib_qp_state state = READ_ONCE(qp->state);

		if (state == IB_QPS_ERR || state == IB_QPS_SQE)
			wc.status = IB_WC_WR_FLUSH_ERR;
		else if (state != IB_QPS_RTS || wr->opcode != IB_WR_SEND)
			error = -EINVAL;
		else
			error = send_datagram(qp, wr);
		if (error) {
			*bad_wr = wr;
			break;
		}
		if (wc.status || qp->sig_type == IB_SIGNAL_ALL_WR ||
		    (wr->send_flags & IB_SEND_SIGNALED))
			heddle_complete(ib->send_cq, &wc);
	}
	return error;
}

static int post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	struct heddle_qp *qp = to_qp(ib);
	unsigned long flags;
	int error = 0;

	spin_lock_irqsave(&qp->lock, flags);
	for (; wr; wr = wr->next) {
		struct heddle_receive *receive;

		if (qp->state == IB_QPS_RESET || wr->num_sge > SGES_MAX)
			error = -EINVAL;
		else if (qp->count == qp->size)
			error = -ENOMEM;
		if (error) {
			*bad_wr = wr;
			break;
		}
		receive = &qp->receives[(qp->first + qp->count++) % qp->size];
		receive->cqe = wr->wr_cqe;
		receive->sge_count = wr->num_sge;
		memcpy(receive->sges, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
	}
	if (qp->state == IB_QPS_ERR)
		flush(qp);
	spin_unlock_irqrestore(&qp->lock, flags);
	return error;
}

static size_t scatter(const struct heddle_receive *receive, size_t at, const void *from,
		      size_t bytes)
{
	u32 i;

	for (i = 0; i < receive->sge_count && bytes; i++) {
		size_t length = receive->sges[i].length;
		size_t part;

		if (at >= length) {
			at -= length;
			continue;
		}
		part = min(bytes, length - at);
		memcpy((void *)(uintptr_t)(receive->sges[i].addr + at), from, part);
		from += part;
		bytes -= part;
		at = 0;
	}
	return bytes;
}

/* Both name the partition, and not both as limited members (IBTA Vol 1, 10.9.3). */
static bool p_keys_match(u16 a, u16 b)
{
	return ((a ^ b) & 0x7fff) == 0 && ((a | b) & 0x8000);
}

/* The index of the P_Key that lets the packet in, or -1; the QP's lock is held. */
static int check_keys(const struct heddle_qp *qp, struct heddle_port *port,
		      const struct heddle_hca_packet *packet)
{
	if (qp->ib.qp_num == 0)
		return 0;
	if (packet->qkey != qp->qkey)
		return -1;
	if (qp->ib.qp_num == 1)
		return heddle_port_p_key_index(port, packet->p_key);
	return p_keys_match(heddle_port_p_key(port, qp->pkey_index), packet->p_key) ?
		       qp->pkey_index :
		       -1;
}

static void deliver(struct heddle_qp *qp, struct heddle_port *port,
		    const struct heddle_hca_packet *packet, size_t payload_bytes)
{
	const struct heddle_receive *receive;
	struct ib_wc wc = { .opcode = IB_WC_RECV, .qp = &qp->ib };
	int pkey_index = check_keys(qp, port, packet);

	if (pkey_index < 0 || (qp->state != IB_QPS_RTR && qp->state != IB_QPS_RTS) || !qp->count) {
		qp->dropped++;
		return;
	}
	receive = &qp->receives[qp->first];
	qp->first = (qp->first + 1) % qp->size;
	qp->count--;
	wc.wr_cqe = receive->cqe;
	scatter(receive, 0, packet->grh, GRH_BYTES);
	if (scatter(receive, GRH_BYTES, packet + 1, payload_bytes))
		wc.status = IB_WC_LOC_LEN_ERR;
	wc.byte_len = GRH_BYTES + payload_bytes;
	wc.src_qp = packet->sqpn;
	wc.slid = packet->slid;
	wc.sl = packet->sl;
	wc.pkey_index = pkey_index;
	wc.dlid_path_bits = packet->dlid & ((1u << (port->port_info[PI_LMC] & 7)) - 1);
	wc.port_num = port->number;
	wc.wc_flags = packet->has_grh ? IB_WC_GRH : 0;
	heddle_complete(qp->ib.recv_cq, &wc);
}

void heddle_receive(struct heddle_hca *hca, const struct heddle_hca_packet *packet,
		    size_t payload_bytes)
{
	struct heddle_port *port = port_of(hca, packet->header.port);
	bool to_group = packet->dqpn == HEDDLE_HCA_MULTICAST_QP;
	struct heddle_qp *qp;
	unsigned long flags;

	spin_lock_irqsave(&hca->qps_lock, flags);
	list_for_each_entry(qp, &hca->qps, entry) {
		if (qp->port != port->number)
			continue;
		spin_lock(&qp->lock);
		if (to_group ? qp->ib.qp_type == IB_QPT_UD && find_group(qp, packet->grh + 24) :
			       qp->ib.qp_num == packet->dqpn)
			deliver(qp, port, packet, payload_bytes);
		spin_unlock(&qp->lock);
	}
	spin_unlock_irqrestore(&hca->qps_lock, flags);
}

/* ---------------------------------------------------------------------------------------------
 * What the core wants besides
 */

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	return mr ? mr : ERR_PTR(-ENOMEM);
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 address, int access,
				 struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP); /* no program of user space posts to these HCAs */
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	kfree(mr);
	return 0;
}

const struct ib_device_ops heddle_verbs_ops = {
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.get_dma_mr = get_dma_mr,
	.reg_user_mr = reg_user_mr,
	.dereg_mr = dereg_mr,
	.create_qp = create_qp,
	.modify_qp = modify_qp,
	.query_qp = query_qp,
	.destroy_qp = destroy_qp,
	.attach_mcast = attach_mcast,
	.detach_mcast = detach_mcast,
	.create_ah = create_ah,
	.query_ah = query_ah,
	.destroy_ah = destroy_ah,
	.post_send = post_send,
	.post_recv = post_recv,
	INIT_RDMA_OBJ_SIZE(ib_pd, heddle_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, heddle_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_ah, heddle_ah, ib),
};
