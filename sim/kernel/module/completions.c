// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Completion queues: rings that are polled, with a notification when one is asked for. */
#include <linux/vmalloc.h>

#include "sim/kernel/module/internal.h"

struct heddle_cq {
	struct ib_cq ib;
	spinlock_t lock;
	struct ib_wc *ring;
	u32 size, first, count;
	u64 lost;
	bool armed, armed_solicited;
};

static struct heddle_cq *to_cq(struct ib_cq *ib)
{
	return container_of(ib, struct heddle_cq, ib);
}

void heddle_complete(struct ib_cq *ib, const struct ib_wc *wc)
{
	struct heddle_cq *cq = to_cq(ib);
	unsigned long flags;
	bool notify;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->count == cq->size) {
		cq->lost++;
		spin_unlock_irqrestore(&cq->lock, flags);
		pr_warn_ratelimited("heddle_hca: a completion queue of %u is full\n", cq->size);
		return;
	}
	cq->ring[(cq->first + cq->count++) % cq->size] = *wc;
	notify = cq->armed && (!cq->armed_solicited || wc->status != IB_WC_SUCCESS ||
			       wc->opcode == IB_WC_RECV);
	if (notify)
		cq->armed = false;
	spin_unlock_irqrestore(&cq->lock, flags);
	if (notify && ib->comp_handler)
		ib->comp_handler(ib, ib->cq_context);
}

static int poll_cq(struct ib_cq *ib, int wanted, struct ib_wc *wc)
{
	struct heddle_cq *cq = to_cq(ib);
	unsigned long flags;
	int taken = 0;

	spin_lock_irqsave(&cq->lock, flags);
	while (taken < wanted && cq->count) {
		wc[taken++] = cq->ring[cq->first];
		cq->first = (cq->first + 1) % cq->size;
		cq->count--;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return taken;
}

static int req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags how)
{
	struct heddle_cq *cq = to_cq(ib);
	unsigned long flags;
	int missed;

	spin_lock_irqsave(&cq->lock, flags);
	cq->armed = true;
	cq->armed_solicited = (how & IB_CQ_SOLICITED_MASK) == IB_CQ_SOLICITED;
	missed = (how & IB_CQ_REPORT_MISSED_EVENTS) && cq->count;
	spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

static int allocate_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr)
{
	struct heddle_cq *cq = to_cq(ib);

	if (attr->cqe < 1 || attr->cqe > ib->device->attrs.max_cqe)
		return -EINVAL;
	spin_lock_init(&cq->lock);
	cq->size = attr->cqe;
	cq->ring = vzalloc(array_size(cq->size, sizeof(*cq->ring)));
	ib->cqe = cq->size;
	return cq->ring ? 0 : -ENOMEM;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static int create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		     struct uverbs_attr_bundle *attrs)
#else
static int create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
#endif
{
	return allocate_cq(ib, attr);
}

static int destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	vfree(to_cq(ib)->ring);
	return 0;
}

const struct ib_device_ops heddle_cq_ops = {
	.create_cq = create_cq,
	.destroy_cq = destroy_cq,
	.poll_cq = poll_cq,
	.req_notify_cq = req_notify_cq,
	INIT_RDMA_OBJ_SIZE(ib_cq, heddle_cq, ib),
};
