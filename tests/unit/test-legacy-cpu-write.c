/* SPDX-License-Identifier: MIT */
/* gperftools' binary format, written and read again. */
#include "base/sink.h"
#include "format/format.h"
#include "format/legacy.h"
#include "profile/profile.h"
#include "test.h"

static struct arena arena;

static void make(struct profile *p)
{
	const uint64_t address[] = { 0x1010, 0x1020, 0x1030 };
	frame_id frames[3];
	struct value_type *t;

	CHECK_EQ(profile_init(p, &arena), 0);
	t = VEC_PUSH(&p->types, &arena);
	t->type = strtab_add_text(p->strings, "samples");
	t->unit = strtab_add_text(p->strings, "count");
	p->header.period = 1000000;
	profile_add_mapping(
		p, (struct mapping){
			   .id = 1,
			   .start = 0x1000,
			   .limit = 0x2000,
			   .file = strtab_add_text(p->strings, "/bin/x") });
	for (unsigned i = 0; i < 3; i++)
		frames[i] = profile_add_location(
			p,
			(struct location){ .id = i + 1,
					   .address = address[i],
					   .mapping = 1 },
			NULL, 0);
	*profile_add_sample(p, stack_add_leaf_first(&p->stacks, frames, 3),
			    0) = 5;
	/* Readers drop a second frame that all stacks share. */
	*profile_add_sample(p, stack_add_leaf_first(&p->stacks, frames + 1, 2),
			    0) = 1;
	*profile_add_sample(p, stack_add_leaf_first(&p->stacks, frames, 1),
			    0) = 0;
}

TEST(what_is_written_reads_as_it_was)
{
	struct sink out = sink_to_memory(&arena);
	struct profile p, q;
	frame_id frames[3];

	make(&p);
	CHECK_EQ(legacy_cpu_write(&p, &out, NULL), 0);
	CHECK_EQ(profile_init(&q, &arena), 0);
	CHECK_EQ(format_read(&q, sink_bytes(&out), 1 << 20, NULL), 0);
	CHECK_EQ(q.header.period, 1000000);
	CHECK_EQ(q.sample_count, 2);
	CHECK_EQ(profile_values(&q, 0)[0], 5);
	CHECK_EQ(stack_frames(&q.stacks, q.stack[0], frames, 3), 3);
	CHECK_EQ(q.locations.at[frames[0]].address, 0x1010);
	CHECK_EQ(q.locations.at[frames[1]].address, 0x1020);
	CHECK_EQ(q.locations.at[frames[2]].address, 0x1030);
	CHECK_STR(profile_text(&q, q.mappings.at[1].file), "/bin/x");
}
