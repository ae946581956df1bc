// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Ethernet over Omni-Path: the network device that the kernel's driver opa_vnic asks its HCA for.
 * The driver writes the header of a frame (16B format), this file sends it and hands up what
 * arrives for a virtual Ethernet switch.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/opa_vnic.h>

#include "sim/kernel/module/internal.h"

struct heddle_vnic {
	struct net_device *netdev;
	struct heddle_hca *hca;
	struct list_head entry; /* of the HCA's list, under its lock, while the device is up */
	u32 port;
	int vesw_id;
	spinlock_t lock; /* of what follows */
	struct opa_vnic_stats stats;
};

/*
 * The header: five words of 32 bits in the byte order of the machine, as opa_vnic_make_header() of
 * Linux places them. Up to 16 bits of LIDs fit into this fabric.
 */
static u32 header_word(const struct sk_buff *skb, u32 index)
{
	u32 word;

	memcpy(&word, skb->data + index * sizeof(word), sizeof(word));
	return word;
}

static void count_length(struct opa_vnic_grp_stats *group, u32 bytes)
{
	static const u32 ends[] = { 64, 127, 255, 511, 1023, 1518 };
	u64 *counter = &group->s_64;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends) && bytes > ends[i]; i++)
		counter++;
	(*counter)++;
}

static void count_frame(struct opa_vnic_grp_stats *group, const struct ethhdr *frame, u32 bytes)
{
	count_length(group, bytes);
	if (is_multicast_ether_addr(frame->h_dest))
		group->mcastbcast++;
	else
		group->unicast++;
	if (eth_type_vlan(frame->h_proto))
		group->vlan++;
	else
		group->untagged++;
}

static int send_frame(struct heddle_vnic *vnic, const struct sk_buff *skb)
{
	u32 payload_bytes = skb->len, h0 = header_word(skb, 0), h1 = header_word(skb, 1),
	    h2 = header_word(skb, 2);
	struct heddle_hca_packet *packet;

	if (payload_bytes > HEDDLE_HCA_PAYLOAD_MAX)
		return -EMSGSIZE;
	packet = heddle_new_packet(payload_bytes);
	if (!packet)
		return -ENOMEM;
	packet->slid = (h0 & 0xfffff) | (h2 & 0xf00) << 12;
	packet->dlid = (h1 & 0xfffff) | (h2 & 0xf000) << 8;
	packet->sl = h1 >> 20 & 0x1f;
	packet->dqpn = HEDDLE_HCA_ETHERNET_QP;
	packet->p_key = h2 >> 16;
	skb_copy_bits(skb, 0, packet + 1, payload_bytes);
	heddle_send_packet(vnic->hca, vnic->port, packet, payload_bytes);
	return 0;
}

static netdev_tx_t start_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct heddle_vnic *vnic = opa_vnic_dev_priv(netdev);
	const struct opa_vnic_skb_mdata *about = (const struct opa_vnic_skb_mdata *)skb->data;
	bool has_no_dlid = about->flags & OPA_VNIC_SKB_MDATA_ENCAP_ERR;
	bool is_up = netif_oper_up(netdev);
	int error = 0;

	skb_pull(skb, sizeof(*about));
	if (is_up && !has_no_dlid)
		error = send_frame(vnic, skb);
	skb_pull(skb, OPA_VNIC_HDR_LEN);
	spin_lock_bh(&vnic->lock);
	vnic->stats.netstats.tx_packets++;
	vnic->stats.netstats.tx_bytes += skb->len + ETH_FCS_LEN;
	if (!is_up)
		vnic->stats.tx_drop_state++;
	else if (has_no_dlid)
		vnic->stats.tx_dlid_zero++;
	else if (error)
		vnic->stats.netstats.tx_fifo_errors++;
	else
		count_frame(&vnic->stats.tx_grp, (const struct ethhdr *)skb->data,
			    skb->len + ETH_FCS_LEN);
	spin_unlock_bh(&vnic->lock);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static u16 select_queue(struct net_device *netdev, struct sk_buff *skb, struct net_device *sb_dev)
{
	return 0;
}

/* The caller's structure is an opa_vnic_stats (opa_vnic_get_summary_counters() of Linux). */
static void get_stats(struct net_device *netdev, struct rtnl_link_stats64 *stats)
{
	struct heddle_vnic *vnic = opa_vnic_dev_priv(netdev);
	struct opa_vnic_stats *all = (struct opa_vnic_stats *)stats;

	spin_lock_bh(&vnic->lock);
	*all = vnic->stats;
	spin_unlock_bh(&vnic->lock);
	all->netstats.tx_errors = all->netstats.tx_fifo_errors + all->tx_drop_state +
				  all->tx_dlid_zero;
	all->netstats.rx_errors = all->netstats.rx_nohandler + all->rx_drop_state +
				  all->rx_oversize + all->rx_runt;
}

static int open_vnic(struct net_device *netdev)
{
	struct heddle_vnic *vnic = opa_vnic_dev_priv(netdev);
	unsigned long flags;

	if (!vnic->vesw_id)
		return -EINVAL; /* no Ethernet Manager has configured it */
	spin_lock_irqsave(&vnic->hca->qps_lock, flags);
	list_add_tail(&vnic->entry, &vnic->hca->vnics);
	spin_unlock_irqrestore(&vnic->hca->qps_lock, flags);
	netif_carrier_on(netdev);
	netif_tx_start_all_queues(netdev);
	return 0;
}

static int stop_vnic(struct net_device *netdev)
{
	struct heddle_vnic *vnic = opa_vnic_dev_priv(netdev);
	unsigned long flags;

	netif_carrier_off(netdev);
	netif_tx_disable(netdev);
	spin_lock_irqsave(&vnic->hca->qps_lock, flags);
	list_del_init(&vnic->entry);
	spin_unlock_irqrestore(&vnic->hca->qps_lock, flags);
	return 0;
}

static const struct net_device_ops vnic_ops = {
	.ndo_open = open_vnic,
	.ndo_stop = stop_vnic,
	.ndo_start_xmit = start_xmit,
	.ndo_select_queue = select_queue,
	.ndo_get_stats64 = get_stats,
};

static void set_id(struct net_device *netdev, int id)
{
	struct heddle_vnic *vnic = opa_vnic_dev_priv(netdev);

	WRITE_ONCE(vnic->vesw_id, id);
}

static void free_vnic(struct net_device *netdev)
{
	free_netdev(netdev);
}

struct net_device *heddle_alloc_netdev(struct ib_device *ib, u32 port, enum rdma_netdev_t type,
				       const char *name, unsigned char name_assign_type,
				       void (*setup)(struct net_device *))
{
	struct net_device *netdev;
	struct heddle_vnic *vnic;
	struct rdma_netdev *rn;

	if (type != RDMA_NETDEV_OPA_VNIC || !to_hca(ib)->has_ethernet)
		return ERR_PTR(-EOPNOTSUPP);
	if (!port_of(to_hca(ib), port))
		return ERR_PTR(-EINVAL);
	netdev = alloc_netdev_mqs(sizeof(struct opa_vnic_rdma_netdev) + sizeof(*vnic), name,
				  name_assign_type, setup, 1, 1);
	if (!netdev)
		return ERR_PTR(-ENOMEM);
	rn = netdev_priv(netdev);
	rn->free_rdma_netdev = free_vnic;
	rn->set_id = set_id;
	vnic = opa_vnic_dev_priv(netdev);
	vnic->netdev = netdev;
	vnic->hca = to_hca(ib);
	vnic->port = port;
	INIT_LIST_HEAD(&vnic->entry);
	spin_lock_init(&vnic->lock);
	netdev->netdev_ops = &vnic_ops;
	return netdev;
}

/* ---------------------------------------------------------------------------------------------
 * What arrives
 */

static void hand_up(struct heddle_vnic *vnic, const u8 *frame, size_t bytes)
{
	struct sk_buff *skb = netdev_alloc_skb(vnic->netdev, bytes);

	if (!skb)
		return;
	skb_put_data(skb, frame, bytes);
	spin_lock(&vnic->lock);
	vnic->stats.netstats.rx_packets++;
	vnic->stats.netstats.rx_bytes += bytes + ETH_FCS_LEN;
	count_frame(&vnic->stats.rx_grp, (const struct ethhdr *)frame, bytes + ETH_FCS_LEN);
	spin_unlock(&vnic->lock);
	skb->protocol = eth_type_trans(skb, vnic->netdev);
	netif_rx(skb);
}

/* A port takes packets of its partitions only. */
void heddle_receive_frame(struct heddle_hca *hca, const struct heddle_hca_packet *packet,
			  size_t payload_bytes)
{
	struct heddle_port *port = port_of(hca, packet->header.port);
	const u8 *header = (const u8 *)(packet + 1);
	struct heddle_vnic *vnic;
	unsigned long flags;
	u32 words[OPA_VNIC_HDR_LEN / sizeof(u32)];

	if (payload_bytes < OPA_VNIC_HDR_LEN + ETH_ZLEN ||
	    heddle_port_p_key_index(port, packet->p_key) < 0)
		return;
	memcpy(words, header, sizeof(words));
	if ((words[2] & 0xff) != OPA_VNIC_L4_ETHR)
		return;
	spin_lock_irqsave(&hca->qps_lock, flags);
	list_for_each_entry(vnic, &hca->vnics, entry)
		if (vnic->port == port->number &&
		    READ_ONCE(vnic->vesw_id) == (words[4] >> 16 & 0xfff) &&
		    netif_oper_up(vnic->netdev))
			hand_up(vnic, header + OPA_VNIC_HDR_LEN, payload_bytes - OPA_VNIC_HDR_LEN);
	spin_unlock_irqrestore(&hca->qps_lock, flags);
}
