/* SPDX-License-Identifier: MIT */
/*
 * The records of perf_event_open(2), read as if they came from an enemy: the
 * kernel wrote them, but a ring that was overrun or read wrongly has anything
 * in it, and a profiler must not fall over that.
 */
#include "collect/record.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "collect/regs.h"

/* What ends every record but samples: thread, time, processor. */
enum { TRAILER = 24 };

static struct span read_words(struct reader *r, uint64_t count)
{
	if (count > reader_left(r) / sizeof(uint64_t)) {
		r->failed = true;
		return (struct span){ 0 };
	}
	return reader_take(r, count * sizeof(uint64_t));
}

static void read_stack(struct reader *r, struct record_sample *s)
{
	uint64_t size = reader_u64(r);
	struct span stack;
	uint64_t used;

	if (!size)
		return;
	stack = reader_take(r, size);
	used = reader_u64(r);
	s->stack = span_part(stack, 0, used < stack.len ? used : stack.len);
}

static void read_sample(struct reader *r, struct record *ret)
{
	struct record_sample *s = &ret->sample;

	s->ip = reader_u64(r);
	ret->pid = reader_u32(r);
	ret->tid = reader_u32(r);
	ret->time = reader_u64(r);
	ret->cpu = reader_u32(r);
	(void)reader_u32(r); /* reserved */
	s->period = reader_u64(r);
	s->chain = read_words(r, reader_u64(r));
	s->abi = reader_u64(r);
	if (s->abi)
		s->regs = read_words(r, regs_count);
	read_stack(r, s);
}

/* A name that is padded with NULs. */
static struct span read_name(struct reader *r)
{
	size_t len = reader_left(r);

	return reader_take(r, strnlen((const char *)r->at, len));
}

static void read_mapping(struct reader *r, struct record *ret)
{
	struct record_mapping *m = &ret->mapping;

	(void)reader_u64(r); /* thread: the trailer has it too */
	m->lo = reader_u64(r);
	m->len = reader_u64(r);
	m->offset = reader_u64(r);
	m->major = reader_u32(r);
	m->minor = reader_u32(r);
	m->inode = reader_u64(r);
	(void)reader_u64(r); /* generation */
	m->executable = reader_u32(r) & PROT_EXEC;
	(void)reader_u32(r); /* flags */
	m->name = read_name(r);
	if (m->lo + m->len < m->lo)
		r->failed = true;
}

static void read_task(struct reader *r, struct record *ret)
{
	ret->pid = reader_u32(r);
	ret->task.parent = reader_u32(r);
	ret->tid = reader_u32(r);
	ret->task.parent_thread = reader_u32(r);
}

static void read_lost(struct reader *r, struct record *ret)
{
	if (ret->type == PERF_RECORD_LOST)
		(void)reader_u64(r); /* the event's number */
	ret->lost = reader_u64(r);
}

/* Reads what stands at the end of r, and takes it off. */
static void read_trailer(struct reader *r, struct record *ret)
{
	struct reader t;

	if (reader_left(r) < TRAILER) {
		r->failed = true;
		return;
	}
	t = reader_of(span_of(r->end - TRAILER, TRAILER));
	ret->pid = reader_u32(&t);
	ret->tid = reader_u32(&t);
	ret->time = reader_u64(&t);
	ret->cpu = reader_u32(&t);
	r->end -= TRAILER;
}

static void read_other(struct reader *r, struct record *ret)
{
	read_trailer(r, ret);
	switch (ret->type) {
	case PERF_RECORD_MMAP2:
		read_mapping(r, ret);
		break;
	case PERF_RECORD_COMM:
		ret->pid = reader_u32(r);
		ret->tid = reader_u32(r);
		ret->name = read_name(r);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		read_task(r, ret);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		read_lost(r, ret);
		break;
	default:
		break;
	}
}

bool record_parse(struct span bytes, struct record *ret, size_t *ret_size)
{
	struct reader head = reader_of(bytes);
	struct reader body;
	uint16_t size;

	*ret = (struct record){ .type = reader_u32(&head),
				.misc = reader_u16(&head) };
	size = reader_u16(&head);
	*ret_size = 0;
	if (head.failed || size < RECORD_HEAD || size > bytes.len)
		return false;

	*ret_size = size;
	body = reader_of(
		span_part(bytes, RECORD_HEAD, (size_t)size - RECORD_HEAD));
	if (ret->type == PERF_RECORD_SAMPLE)
		read_sample(&body, ret);
	else
		read_other(&body, ret);
	return !body.failed;
}

/* The stack is the last thing in a sample: its size, its bytes, the used. */
size_t record_shrink(uint8_t *bytes, size_t size, size_t keep)
{
	struct record r;
	size_t whole;
	uint64_t kept;
	uint16_t shrunk;
	uint8_t *at;

	if (!record_parse(span_of(bytes, size), &r, &whole) ||
	    r.type != PERF_RECORD_SAMPLE || !r.sample.stack.len)
		return size;
	kept = r.sample.stack.len < keep ? r.sample.stack.len : keep;
	kept &= ~(uint64_t)7;
	at = bytes + (r.sample.stack.at - bytes);
	shrunk = (uint16_t)(at + kept + sizeof(kept) - bytes);
	if (shrunk >= whole)
		return size;
	memcpy(at - sizeof(kept), &kept, sizeof(kept));
	memcpy(at + kept, &kept, sizeof(kept));
	memcpy(bytes + 6, &shrunk, sizeof(shrunk));
	return shrunk;
}

uint64_t record_time(struct span bytes)
{
	struct reader r = reader_of(bytes);
	uint32_t type = reader_u32(&r);
	uint16_t size;

	(void)reader_u16(&r);
	size = reader_u16(&r);
	if (r.failed || size < RECORD_HEAD + TRAILER || size > bytes.len)
		return 0;
	if (type == PERF_RECORD_SAMPLE)
		return span_word(bytes, 3);
	return span_word(span_of(bytes.at + size - 16, 8), 0);
}
