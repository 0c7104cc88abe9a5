/* SPDX-License-Identifier: MIT */
/*
 * The jitdump format of Linux's perf.  A program may still be writing when the
 * file is read, so a record that is cut ends the reading without complaint.
 */
#include "symbol/jitdump.h"

#include <errno.h>

#include "base/arena.h"
#include "base/error.h"

enum {
	MAGIC = 0x4a695444,
	MAGIC_SWAPPED = 0x4454694a,
	FLAG_CYCLES = 1,
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
	RECORD_DEBUG_INFO = 2,
	RECORD_CLOSE = 3,
	RECORD_UNWINDING_INFO = 4,
	RECORD_HEADER = 16,
};

/* Lines that were announced and wait for their function. */
struct pending {
	uint64_t address;
	uint32_t first;
	uint32_t count;
};

struct parser {
	struct jitdump *j;
	struct arena *arena;
	struct pending pending;
	bool failed; /* out of memory */
};

static struct span take_text(struct reader *r)
{
	size_t left = reader_left(r);
	const uint8_t *nul = left ? memchr(r->at, '\0', left) : NULL;
	struct span s;

	if (!nul) {
		r->failed = true;
		return (struct span){ 0 };
	}
	s = reader_take(r, (uint64_t)(nul - r->at));
	reader_u8(r);
	return s;
}

static void read_load(struct parser *p, struct reader *r, uint64_t time)
{
	struct addrmap_entry e = { .time = time };
	uint64_t size;

	reader_take(r, 4 + 4 + 8); /* process, thread, address as linked */
	e.start = reader_u64(r);
	size = reader_u64(r);
	reader_u64(r); /* the function's number */
	e.name = take_text(r);
	if (r->failed || __builtin_add_overflow(e.start, size, &e.end))
		return;
	if (p->pending.count && p->pending.address == e.start) {
		e.first_line = p->pending.first;
		e.line_count = p->pending.count;
	}
	p->pending.count = 0;
	p->failed |= !addrmap_add(&p->j->map, p->arena, &e);
}

/* The newest entry that starts at an address; NULL: none. */
static const struct addrmap_entry *loaded_at(const struct addrmap *map,
					     uint64_t start)
{
	enum { FAR = 4096 };
	uint32_t i = map->entries.count;

	for (unsigned n = 0; i-- > 0 && n < FAR; n++)
		if (map->entries.at[i].start == start)
			return &map->entries.at[i];
	return NULL;
}

static void read_move(struct parser *p, struct reader *r, uint64_t time)
{
	const struct addrmap_entry *old;
	struct addrmap_entry e;
	uint64_t from, to, size;

	reader_take(r, 4 + 4 + 8);
	from = reader_u64(r);
	to = reader_u64(r);
	size = reader_u64(r);
	old = loaded_at(&p->j->map, from);
	if (r->failed || !old)
		return;
	e = *old;
	e.start = to;
	e.time = time;
	/* The lines are for the old place. */
	e.line_count = 0;
	if (!__builtin_add_overflow(to, size, &e.end))
		p->failed |= !addrmap_add(&p->j->map, p->arena, &e);
}

static void read_lines(struct parser *p, struct reader *r)
{
	struct jitdump *j = p->j;
	struct span file = { 0 };
	uint64_t count;

	p->pending = (struct pending){
		.address = reader_u64(r),
		.first = j->lines.count,
	};
	count = reader_u64(r);
	for (; count && !p->failed; count--) {
		struct jit_line line = { .address = reader_u64(r) };
		struct jit_line *to;
		struct span name;

		line.line = reader_u32(r);
		reader_u32(r); /* discriminator */
		name = take_text(r);
		if (r->failed)
			break;
		/* "\xff" stands for the name before. */
		if (name.len != 1 || name.at[0] != 0xff)
			file = name;
		line.file = file;
		to = VEC_PUSH(&j->lines, p->arena);
		p->failed |= !to;
		if (to)
			*to = line;
	}
	p->pending.count = j->lines.count - p->pending.first;
}

static void read_record(struct parser *p, uint32_t id, uint64_t time,
			struct reader *r)
{
	switch (id) {
	case RECORD_LOAD:
		read_load(p, r, time);
		break;
	case RECORD_MOVE:
		read_move(p, r, time);
		break;
	case RECORD_DEBUG_INFO:
		read_lines(p, r);
		break;
	case RECORD_CLOSE:
		p->j->closed = true;
		break;
	case RECORD_UNWINDING_INFO:
		break;
	default:
		p->j->unknown++;
		break;
	}
}

static void read_records(struct parser *p, struct reader *r)
{
	while (reader_left(r) && !p->failed) {
		uint32_t id = reader_u32(r);
		uint32_t size = reader_u32(r);
		uint64_t time = reader_u64(r);
		struct reader body;

		if (size < RECORD_HEADER) {
			p->j->cut = true;
			break;
		}
		body = reader_of(reader_take(r, size - RECORD_HEADER));
		if (r->failed) {
			p->j->cut = true;
			break;
		}
		read_record(p, id, time, &body);
	}
}

int jitdump_read(struct jitdump *j, struct span dump, struct arena *arena,
		 struct error *err)
{
	struct parser p = { .j = j, .arena = arena };
	struct reader r = reader_of(dump);
	uint32_t magic = reader_u32(&r);
	uint32_t version = reader_u32(&r);
	uint32_t size = reader_u32(&r);
	uint64_t flags;

	*j = (struct jitdump){ 0 };
	if (magic == MAGIC_SWAPPED)
		return error_set(err, -ENOTSUP,
				 "a jitdump of the other byte order");
	if (r.failed || magic != MAGIC)
		return error_set(err, -ENOEXEC, "not a jitdump");
	if (version != 1)
		return error_set(err, -ENOTSUP, "a jitdump of version %u",
				 version);
	reader_take(&r, 8); /* machine, padding */
	j->pid = reader_u32(&r);
	reader_u64(&r); /* when it was opened */
	flags = reader_u64(&r);
	j->cycles = flags & FLAG_CYCLES;
	if (r.failed || size < 40 || size > dump.len)
		return error_set(err, -ENOEXEC, "a jitdump cut in its header");
	r = reader_of(span_part(dump, size, dump.len - size));
	read_records(&p, &r);
	if (p.failed || addrmap_sort(&j->map, arena) < 0)
		return error_set_errno(err, -ENOMEM, "cannot read jitdump");
	return 0;
}

const struct jit_line *jitdump_line(const struct jitdump *j,
				    const struct addrmap_entry *e,
				    uint64_t address)
{
	const struct jit_line *best = NULL;

	if (e->first_line > j->lines.count ||
	    e->line_count > j->lines.count - e->first_line)
		return NULL;
	for (uint32_t i = 0; i < e->line_count; i++) {
		const struct jit_line *l = &j->lines.at[e->first_line + i];

		if (l->address <= address &&
		    (!best || l->address >= best->address))
			best = l;
	}
	return best;
}
