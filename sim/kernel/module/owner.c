// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The device file: one program owns it, creates HCAs by it, takes what they send and gives what
 * arrives. When the program ends, its HCAs are unplugged.
 *
 * HCAs are registered and removed by one ordered work queue: ib_register_device() asks the driver
 * (process_mad), and the answer has to come from the very program that would wait for it.
 */
#include <linux/completion.h>
#include <linux/idr.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "sim/kernel/module/internal.h"

#define WAITING_MAX 65536 /* messages; packets beyond are lost, as in a network */
#define ANSWER_MS 3000    /* mlx4 waits 10 s for a firmware command */
#define MESSAGE_BYTES_MAX (sizeof(struct heddle_hca_packet) + HEDDLE_HCA_PAYLOAD_MAX)

struct waiting_message {
	struct list_head entry;
	struct heddle_hca_header *message;
};

struct question {
	struct completion answered;
	struct heddle_hca *hca;
	u32 flags;
	bool ended;
	u8 mad[256];
};

struct hca_work {
	struct work_struct work;
	struct heddle_hca *hca;
};

static struct workqueue_struct *hca_queue;

static struct {
	struct mutex write_lock; /* one message at a time; of hcas */
	struct xarray hcas;
	void *buffer; /* one message of the program */
	unsigned long is_open;

	spinlock_t lock; /* of what follows */
	bool takes;      /* the program has the file open */
	struct list_head waiting;
	unsigned int waiting_count;
	u64 lost;
	wait_queue_head_t readable;
	struct idr questions;
} owner = {
	.write_lock = __MUTEX_INITIALIZER(owner.write_lock),
	.lock = __SPIN_LOCK_UNLOCKED(owner.lock),
	.waiting = LIST_HEAD_INIT(owner.waiting),
	.readable = __WAIT_QUEUE_HEAD_INITIALIZER(owner.readable),
};

/* ---------------------------------------------------------------------------------------------
 * To the program
 */

/* Takes the message, which was allocated by kmalloc(). In any context. */
static void enqueue(struct heddle_hca_header *message, bool may_be_lost)
{
	struct waiting_message *waiting = kmalloc(sizeof(*waiting), GFP_ATOMIC);
	unsigned long flags;

	if (!waiting) {
		kfree(message);
		return;
	}
	waiting->message = message;
	spin_lock_irqsave(&owner.lock, flags);
	if (!owner.takes || (may_be_lost && owner.waiting_count >= WAITING_MAX)) {
		owner.lost++;
		spin_unlock_irqrestore(&owner.lock, flags);
		kfree(message);
		kfree(waiting);
		return;
	}
	list_add_tail(&waiting->entry, &owner.waiting);
	owner.waiting_count++;
	spin_unlock_irqrestore(&owner.lock, flags);
	wake_up_interruptible(&owner.readable);
}

static void fill_header(struct heddle_hca_header *header, struct heddle_hca *hca, u32 port,
			u16 type, size_t size_bytes)
{
	header->size_bytes = size_bytes;
	header->type = type;
	header->hca = hca->number;
	header->port = port;
	header->reserved = 0;
}

void heddle_notify(struct heddle_hca *hca, u32 port, u16 type, struct heddle_hca_header *message,
		 size_t size_bytes)
{
	struct heddle_hca_header *copy = kmemdup(message, size_bytes, GFP_ATOMIC);

	if (!copy)
		return;
	fill_header(copy, hca, port, type, size_bytes);
	enqueue(copy, false);
}

struct heddle_hca_packet *heddle_new_packet(size_t payload_bytes)
{
	return kzalloc(sizeof(struct heddle_hca_packet) + payload_bytes, GFP_ATOMIC);
}

void heddle_send_packet(struct heddle_hca *hca, u32 port, struct heddle_hca_packet *packet,
			size_t payload_bytes)
{
	fill_header(&packet->header, hca, port, HEDDLE_HCA_SEND, sizeof(*packet) + payload_bytes);
	enqueue(&packet->header, true);
}

static void end_question(struct question *question)
{
	question->ended = true;
	complete(&question->answered);
}

/*
 * Asks the simulated firmware, and waits for its answer: as a firmware command does (mlx5_ib:
 * process_mad, MAD_IFC). May sleep. 0, or -ENODATA: the agent does not answer.
 */
int heddle_ask(struct heddle_hca *hca, u32 port, u32 flags, u32 slid, const void *request,
	       void *answer)
{
	struct heddle_hca_local_mad message = { .flags = flags, .slid = slid };
	struct question question = { .hca = hca };
	unsigned long irq_flags;
	bool answered;
	int id;

	init_completion(&question.answered);
	idr_preload(GFP_KERNEL);
	spin_lock_irqsave(&owner.lock, irq_flags);
	id = owner.takes && !READ_ONCE(hca->dead) ?
		     idr_alloc_cyclic(&owner.questions, &question, 1, 0, GFP_NOWAIT) :
		     -ENODEV;
	spin_unlock_irqrestore(&owner.lock, irq_flags);
	idr_preload_end();
	if (id < 0)
		return id;
	message.cookie = id;
	memcpy(message.mad, request, sizeof(message.mad));
	heddle_notify(hca, port, HEDDLE_HCA_LOCAL_MAD, &message.header, sizeof(message));
	wait_for_completion_timeout(&question.answered, msecs_to_jiffies(ANSWER_MS));
	spin_lock_irqsave(&owner.lock, irq_flags);
	idr_remove(&owner.questions, id);
	answered = question.ended && !(question.flags & HEDDLE_HCA_NO_ANSWER);
	spin_unlock_irqrestore(&owner.lock, irq_flags);
	if (!answered)
		return -ENODATA;
	memcpy(answer, question.mad, sizeof(question.mad));
	return 0;
}

/* Questions of one HCA, or of all (NULL), will not be answered. */
static void end_questions(struct heddle_hca *hca)
{
	struct question *question;
	unsigned long flags;
	int id;

	spin_lock_irqsave(&owner.lock, flags);
	idr_for_each_entry(&owner.questions, question, id) {
		if (question->ended || (hca && question->hca != hca))
			continue;
		question->flags = HEDDLE_HCA_NO_ANSWER;
		end_question(question);
	}
	spin_unlock_irqrestore(&owner.lock, flags);
}

static struct waiting_message *take_waiting(size_t space_bytes)
{
	struct waiting_message *first;
	unsigned long flags;

	spin_lock_irqsave(&owner.lock, flags);
	first = list_first_entry_or_null(&owner.waiting, struct waiting_message, entry);
	if (first && first->message->size_bytes <= space_bytes) {
		list_del(&first->entry);
		owner.waiting_count--;
	} else if (first) {
		first = ERR_PTR(-EMSGSIZE);
	}
	spin_unlock_irqrestore(&owner.lock, flags);
	return first;
}

static ssize_t owner_read(struct file *file, char __user *to, size_t size, loff_t *offset)
{
	size_t done = 0;

	for (;;) {
		struct waiting_message *next = take_waiting(size - done);
		bool failed;

		if (IS_ERR(next))
			return done ? done : PTR_ERR(next);
		if (!next) {
			if (done)
				return done;
			if (file->f_flags & O_NONBLOCK)
				return -EAGAIN;
			if (wait_event_interruptible(owner.readable, READ_ONCE(owner.waiting_count)))
				return -ERESTARTSYS;
			continue;
		}
		failed = copy_to_user(to + done, next->message, next->message->size_bytes);
		done += next->message->size_bytes;
		kfree(next->message);
		kfree(next);
		if (failed)
			return -EFAULT;
	}
}

static __poll_t owner_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &owner.readable, table);
	return EPOLLOUT | EPOLLWRNORM |
	       (READ_ONCE(owner.waiting_count) ? EPOLLIN | EPOLLRDNORM : 0);
}

/* ---------------------------------------------------------------------------------------------
 * From the program
 */

static void register_hca(struct work_struct *work)
{
	struct hca_work *what = container_of(work, struct hca_work, work);
	int error = READ_ONCE(what->hca->dead) ? 0 : heddle_hca_register(what->hca);

	if (error)
		pr_err("heddle_hca: HCA %u cannot be registered: %d\n", what->hca->number, error);
	kfree(what);
}

static void remove_hca(struct work_struct *work)
{
	struct hca_work *what = container_of(work, struct hca_work, work);
	struct heddle_hca_header gone;

	memset(&gone, 0, sizeof(gone));
	heddle_notify(what->hca, 0, HEDDLE_HCA_GONE, &gone, sizeof(gone));
	heddle_hca_destroy(what->hca);
	kfree(what);
}

static int queue_hca_work(struct heddle_hca *hca, work_func_t function)
{
	struct hca_work *what = kmalloc(sizeof(*what), GFP_KERNEL | __GFP_NOFAIL);

	INIT_WORK(&what->work, function);
	what->hca = hca;
	queue_work(hca_queue, &what->work);
	return 0;
}

static int create(const struct heddle_hca_create *message)
{
	struct heddle_hca *hca;
	int error;

	if (message->port_count < 1 || message->port_count > HEDDLE_HCA_PORTS_MAX)
		return -EINVAL;
	if (xa_load(&owner.hcas, message->header.hca))
		return -EEXIST;
	hca = heddle_hca_alloc(message);
	if (!hca)
		return -ENOMEM;
	error = xa_err(xa_store(&owner.hcas, hca->number, hca, GFP_KERNEL));
	if (error)
		heddle_hca_destroy(hca);
	return error;
}

static int unplug(struct heddle_hca *hca)
{
	xa_erase(&owner.hcas, hca->number);
	WRITE_ONCE(hca->dead, true);
	end_questions(hca);
	return queue_hca_work(hca, remove_hca);
}

static int update_port(struct heddle_hca *hca, const struct heddle_hca_port *message)
{
	if (!port_of(hca, message->header.port) || message->guid_count > HEDDLE_HCA_GUIDS_MAX ||
	    message->p_key_count > HEDDLE_HCA_P_KEYS_MAX)
		return -EINVAL;
	heddle_port_update(hca, message);
	return 0;
}

static int reply(const struct heddle_hca_local_mad *message)
{
	struct question *question;
	unsigned long flags;

	spin_lock_irqsave(&owner.lock, flags);
	question = message->cookie <= INT_MAX ? idr_find(&owner.questions, message->cookie) : NULL;
	if (question && !question->ended) {
		memcpy(question->mad, message->mad, sizeof(question->mad));
		question->flags = message->flags;
		end_question(question);
	}
	spin_unlock_irqrestore(&owner.lock, flags);
	return 0; /* who asked may have given up */
}

static int receive(struct heddle_hca *hca, const struct heddle_hca_packet *packet)
{
	if (!port_of(hca, packet->header.port))
		return -EINVAL;
	/* Receivers schedule NAPI, which runs where bottom halves are enabled again. */
	local_bh_disable();
	if (packet->dqpn == HEDDLE_HCA_ETHERNET_QP)
		heddle_receive_frame(hca, packet, packet->header.size_bytes - sizeof(*packet));
	else
		heddle_receive(hca, packet, packet->header.size_bytes - sizeof(*packet));
	local_bh_enable();
	return 0;
}

static bool is_whole(const struct heddle_hca_header *header)
{
	switch (header->type) {
	case HEDDLE_HCA_CREATE:
		return header->size_bytes == sizeof(struct heddle_hca_create);
	case HEDDLE_HCA_PORT:
		return header->size_bytes == sizeof(struct heddle_hca_port);
	case HEDDLE_HCA_RECEIVE:
		return header->size_bytes >= sizeof(struct heddle_hca_packet);
	case HEDDLE_HCA_REPLY:
		return header->size_bytes == sizeof(struct heddle_hca_local_mad);
	case HEDDLE_HCA_REGISTER:
	case HEDDLE_HCA_DESTROY:
		return header->size_bytes == sizeof(*header);
	default:
		return false;
	}
}

static int take_message(const void *message)
{
	const struct heddle_hca_header *header = message;
	struct heddle_hca *hca;

	if (!is_whole(header))
		return -EINVAL;
	if (header->type == HEDDLE_HCA_CREATE)
		return create(message);
	if (header->type == HEDDLE_HCA_REPLY)
		return reply(message);
	hca = xa_load(&owner.hcas, header->hca);
	if (!hca)
		return -ENODEV;
	switch (header->type) {
	case HEDDLE_HCA_PORT:
		return update_port(hca, message);
	case HEDDLE_HCA_RECEIVE:
		return receive(hca, message);
	case HEDDLE_HCA_REGISTER:
		return queue_hca_work(hca, register_hca);
	default:
		return unplug(hca);
	}
}

static ssize_t owner_write(struct file *file, const char __user *from, size_t size, loff_t *offset)
{
	size_t done = 0;
	int error = 0;

	mutex_lock(&owner.write_lock);
	while (done < size && !error) {
		struct heddle_hca_header header;

		if (size - done < sizeof(header)) {
			error = -EINVAL;
		} else if (copy_from_user(&header, from + done, sizeof(header))) {
			error = -EFAULT;
		} else if (header.size_bytes < sizeof(header) ||
			   header.size_bytes > min(size - done, MESSAGE_BYTES_MAX)) {
			error = -EINVAL;
		} else if (copy_from_user(owner.buffer, from + done, header.size_bytes)) {
			error = -EFAULT;
		} else {
			/* The size that was checked, not one that another thread wrote since. */
			memcpy(owner.buffer, &header, sizeof(header));
			error = take_message(owner.buffer);
			if (!error)
				done += header.size_bytes;
		}
	}
	mutex_unlock(&owner.write_lock);
	return done ? done : error;
}

static int owner_open(struct inode *inode, struct file *file)
{
	unsigned long flags;

	if (test_and_set_bit(0, &owner.is_open))
		return -EBUSY;
	spin_lock_irqsave(&owner.lock, flags);
	owner.takes = true;
	owner.lost = 0;
	spin_unlock_irqrestore(&owner.lock, flags);
	return stream_open(inode, file);
}

static int owner_release(struct inode *inode, struct file *file)
{
	struct waiting_message *next;
	struct heddle_hca *hca;
	unsigned long index, flags;

	spin_lock_irqsave(&owner.lock, flags);
	owner.takes = false;
	spin_unlock_irqrestore(&owner.lock, flags);
	end_questions(NULL);
	mutex_lock(&owner.write_lock);
	xa_for_each(&owner.hcas, index, hca)
		unplug(hca);
	mutex_unlock(&owner.write_lock);
	flush_workqueue(hca_queue);
	while ((next = take_waiting(SIZE_MAX))) {
		kfree(next->message);
		kfree(next);
	}
	clear_bit(0, &owner.is_open);
	return 0;
}

static const struct file_operations owner_operations = {
	.owner = THIS_MODULE,
	.open = owner_open,
	.release = owner_release,
	.read = owner_read,
	.write = owner_write,
	.poll = owner_poll,
};

static struct miscdevice owner_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "heddle-hca",
	.fops = &owner_operations,
	.mode = 0600,
};

struct device *heddle_owner_device(void)
{
	return owner_device.this_device;
}

static int __init heddle_hca_init(void)
{
	int error = -ENOMEM;

	xa_init(&owner.hcas);
	idr_init(&owner.questions);
	owner.buffer = kmalloc(MESSAGE_BYTES_MAX, GFP_KERNEL);
	hca_queue = alloc_ordered_workqueue("heddle_hca", 0);
	if (owner.buffer && hca_queue)
		error = misc_register(&owner_device);
	if (!error)
		return 0;
	if (hca_queue)
		destroy_workqueue(hca_queue);
	kfree(owner.buffer);
	return error;
}

static void __exit heddle_hca_exit(void)
{
	misc_deregister(&owner_device);
	destroy_workqueue(hca_queue);
	idr_destroy(&owner.questions);
	kfree(owner.buffer);
}

module_init(heddle_hca_init);
module_exit(heddle_hca_exit);
MODULE_DESCRIPTION("Simulated InfiniBand HCAs below the kernel's own stack");
MODULE_AUTHOR("The Heddle authors");
MODULE_LICENSE("Dual BSD/GPL");
