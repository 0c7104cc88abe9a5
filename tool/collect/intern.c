/* SPDX-License-Identifier: MIT */
/* See intern.h. */
#include "collect/intern.h"

#include "base/hash.h"
#include "collect/binary.h"
#include "collect/space.h"
#include "collect/task.h"

static mapping_id add_mapping(struct interner *n, struct mapping m,
			      const char *file)
{
	struct profile *p = n->profile;

	m.id = p->mappings.count;
	m.file = strtab_add_text(p->strings, file);
	return profile_add_mapping(p, m);
}

static mapping_id add_segment(struct interner *n, const struct binary *b,
			      const struct binary_segment *s)
{
	char id[BUILD_ID_TEXT];
	struct mapping m = {
		.start = s->address,
		.limit = s->address + s->size,
		.offset = s->offset,
	};

	if (b->build_id.len)
		m.build_id = strtab_add_text(n->profile->strings,
					     build_id_text(&b->build_id, id));
	/* It could not be read: all that is known are places in the file. */
	if (!b->segments)
		m.limit = INT64_MAX;
	return add_mapping(n, m, b->path);
}

static mapping_id segment_mapping(struct interner *n, const struct binary *b,
				  struct binary_segment *s)
{
	if (!s->mapping)
		s->mapping = add_segment(n, b, s);
	return s->mapping;
}

/* The first mapping stands for the program, whoever is seen first. */
static void begin_with_program(struct interner *n)
{
	struct binary *first;

	if (n->profile->mappings.count > 1)
		return;
	if (n->no_program || !n->binaries->all.count) {
		(void)add_mapping(n, (struct mapping){ 0 }, "");
		return;
	}
	first = n->binaries->all.at[0];
	binary_wait(n->binaries, first);
	(void)segment_mapping(n, first, &first->segment[0]);
}

static location_id get_location(struct interner *n, mapping_id mapping,
				uint64_t address)
{
	struct profile *p = n->profile;
	uint32_t hash = hash_u64(hash_mix(mapping, address));
	uint32_t i = table_start(&n->index, hash);
	location_id id;

	for (; (id = table_id(&n->index, i, hash)) != TABLE_END;
	     i = table_next(&n->index, i))
		if (id && p->locations.at[id].address == address &&
		    p->locations.at[id].mapping == mapping)
			return id;
	id = profile_add_location(p,
				  (struct location){ .id = p->locations.count,
						     .address = address,
						     .mapping = mapping },
				  NULL, 0);
	if (id && !table_add(&n->index, p->arena, hash, id))
		return 0;
	return id;
}

/* Code that a process made for itself; names come from its compiler. */
static mapping_id anonymous_mapping(struct interner *n, struct process *p)
{
	struct arena *arena = n->profile->arena;

	if (p->anonymous)
		return p->anonymous;
	p->anonymous = add_mapping(
		n, (struct mapping){ .limit = (uint64_t)1 << 56 }, "//anon");
	if (!VEC_RESERVE(&n->anonymous, arena,
			 p->anonymous + 1 - n->anonymous.count))
		return 0;
	n->anonymous.count = p->anonymous + 1;
	n->anonymous.at[p->anonymous] = p->pid;
	return p->anonymous;
}

location_id intern_user(struct interner *n, struct process *p, uint64_t pc)
{
	const struct space_map *m = space_find(p->space, pc);
	struct binary_segment *s;
	uint64_t offset;

	begin_with_program(n);
	if (!m || !m->binary)
		return get_location(n, anonymous_mapping(n, p), pc);
	offset = pc - m->lo + m->offset;
	s = binary_segment_at(m->binary, offset);
	if (s)
		return get_location(n, segment_mapping(n, m->binary, s),
				    offset - s->offset + s->address);
	s = &m->binary->segment[0];
	return get_location(n, segment_mapping(n, m->binary, s), offset);
}

location_id intern_kernel(struct interner *n, uint64_t pc)
{
	begin_with_program(n);
	if (!n->kernel)
		n->kernel = add_mapping(
			n,
			(struct mapping){ .start = (uint64_t)1 << 63,
					  .limit = UINT64_MAX },
			"[kernel.kallsyms]");
	return get_location(n, n->kernel, pc);
}
