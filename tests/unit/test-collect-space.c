/* SPDX-License-Identifier: MIT */
/* Address spaces, processes, stacks and the order of records. */
#include <elf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/batch.h"
#include "collect/binary.h"
#include "collect/callstack.h"
#include "collect/chain.h"
#include "collect/record.h"
#include "collect/space.h"
#include "collect/suffix.h"
#include "collect/task.h"
#include "collect/timeline.h"
#include "test.h"
#include "unwind/compile.h"

static void add(struct space **s, uint64_t lo, uint64_t hi, uint64_t offset)
{
	const struct space_map m = { .lo = lo, .hi = hi, .offset = offset };

	CHECK(space_add(s, &m));
}

static void check_map(const struct space *s, uint32_t i, uint64_t lo,
		      uint64_t hi, uint64_t offset)
{
	CHECK(i < s->count);
	CHECK_EQ(s->map[i].lo, lo);
	CHECK_EQ(s->map[i].hi, hi);
	CHECK_EQ(s->map[i].offset, offset);
}

TEST(maps_are_kept_in_order)
{
	struct space *s = space_new();

	add(&s, 0x3000, 0x4000, 0);
	add(&s, 0x1000, 0x2000, 0);
	add(&s, 0x2000, 0x3000, 0x5000);
	CHECK_EQ(s->count, 3);
	check_map(s, 1, 0x2000, 0x3000, 0x5000);
	CHECK(space_find(s, 0x2fff) == &s->map[1]);
	CHECK(space_find(s, 0x3000) == &s->map[2]);
	CHECK(!space_find(s, 0xfff));
	CHECK(!space_find(s, 0x4000));
	space_drop(s);
}

TEST(a_new_map_takes_the_place_of_what_was_there)
{
	struct space *s = space_new();

	add(&s, 0x1000, 0x9000, 0);
	add(&s, 0x3000, 0x4000, 0x70000); /* cuts it in two */
	CHECK_EQ(s->count, 3);
	check_map(s, 0, 0x1000, 0x3000, 0);
	check_map(s, 1, 0x3000, 0x4000, 0x70000);
	check_map(s, 2, 0x4000, 0x9000, 0x3000);
	add(&s, 0x2000, 0x5000, 0x80000); /* covers one, cuts two */
	CHECK_EQ(s->count, 3);
	check_map(s, 0, 0x1000, 0x2000, 0);
	check_map(s, 1, 0x2000, 0x5000, 0x80000);
	check_map(s, 2, 0x5000, 0x9000, 0x4000);
	add(&s, 0, 0x10000, 0);
	CHECK_EQ(s->count, 1);
	space_drop(s);
}

TEST(a_map_that_is_known_changes_nothing)
{
	struct space *s = space_new();
	struct space *shared;

	add(&s, 0x1000, 0x2000, 0);
	s->stale = false;
	shared = space_share(s);
	add(&shared, 0x1000, 0x2000, 0);
	CHECK(shared == s);
	CHECK(!s->stale);
	space_drop(shared);
	space_drop(s);
}

TEST(a_shared_space_is_copied_before_it_changes)
{
	struct space *parent = space_new();
	struct space *child;

	add(&parent, 0x1000, 0x2000, 0);
	child = space_share(parent);
	add(&child, 0x5000, 0x6000, 0);
	CHECK(child != parent);
	CHECK_EQ(parent->count, 1);
	CHECK_EQ(parent->users, 1);
	CHECK_EQ(child->count, 2);
	space_drop(child);
	space_drop(parent);
}

TEST(five_thousand_maps_are_no_trouble)
{
	struct space *s = space_new();

	for (uint64_t i = 5000; i > 0; i--)
		add(&s, i * 0x2000, i * 0x2000 + 0x1000, 0);
	CHECK_EQ(s->count, 5000);
	CHECK(space_find(s, 2500 * 0x2000 + 5));
	CHECK(!space_find(s, 2500 * 0x2000 + 0x1005));
	space_drop(s);
}

TEST(this_process_is_read_from_proc)
{
	static struct binaries b;
	struct space *s = space_new();
	uint64_t here = (uint64_t)(uintptr_t)this_process_is_read_from_proc;
	const struct unwind_map *view;
	uint32_t generation = 0;
	const struct space_map *m;

	CHECK_EQ(binaries_init(&b), 0);
	CHECK_EQ(space_read(&s, getpid(), &b), 0);
	m = space_find(s, here);
	CHECK(m && m->binary);
	view = space_view(s, &b, &generation);
	CHECK_EQ(generation, 1);
	CHECK_EQ(view->count, s->count);
	CHECK(unwind_map_find(view, here));
	/* Nothing has changed: the view is the same. */
	(void)space_view(s, &b, &generation);
	CHECK_EQ(generation, 1);
	space_drop(s);
	binaries_release(&b);
}

static struct record fork_record(uint32_t pid, uint32_t tid, uint32_t parent)
{
	return (struct record){ .type = PERF_RECORD_FORK,
				.pid = pid,
				.tid = tid,
				.task = { parent, parent } };
}

/* Numbers that no process has. */
enum { PARENT = 0x7ffffff0, CHILD };

TEST(children_share_maps_until_they_run_another_program)
{
	static struct binaries b;
	static struct tasks t;
	struct record r = fork_record(CHILD, CHILD, PARENT);
	struct process *parent;
	struct process *child;

	CHECK_EQ(binaries_init(&b), 0);
	t.binaries = &b;
	parent = tasks_thread(&t, PARENT, PARENT)->process;
	add(&parent->space, 0x1000, 0x2000, 0);
	tasks_note(&t, &r);
	tasks_note(&t, &r); /* two events say it */
	child = tasks_process(&t, CHILD);
	CHECK_EQ(child->threads, 1);
	CHECK(child->space == parent->space);

	r = (struct record){ .type = PERF_RECORD_COMM,
			     .misc = PERF_RECORD_MISC_COMM_EXEC,
			     .pid = CHILD,
			     .tid = CHILD,
			     .name = span_text("new") };
	tasks_note(&t, &r);
	CHECK_EQ(child->space->count, 0);
	CHECK_EQ(parent->space->count, 1);
	CHECK_STR(child->name, "new");

	r = (struct record){ .type = PERF_RECORD_EXIT,
			     .pid = CHILD,
			     .tid = CHILD };
	tasks_note(&t, &r);
	CHECK(tasks_process(&t, CHILD) != NULL);
	CHECK_EQ(t.processes_seen, 3);
	tasks_release(&t);
	binaries_release(&b);
}

TEST(a_suffix_is_found_where_stacks_meet)
{
	const struct stack_frame last[] = {
		{ 1, 100 }, { 2, 200 }, { 3, 300 }, { 4, 400 }
	};
	struct suffix *s = NULL;
	const struct stack_frame *rest;
	uint32_t count;

	CHECK(!suffix_find(s, last[1], &count));
	suffix_set(&s, last, 4);
	rest = suffix_find(s, last[1], &count);
	CHECK_EQ(count, 2);
	CHECK_EQ(rest[0].pc, 3);
	CHECK(!suffix_find(s, (struct stack_frame){ 2, 208 }, &count));
	suffix_set(&s, last, 1);
	CHECK(!suffix_find(s, last[1], &count));
	suffix_free(s);
}

enum { CODE = 0x2000, START = 0x2f00 };

/* Code of which the last part is where threads start. */
static const struct unwind_map *map_with_start(struct arena *arena)
{
	static struct unwind_table table;
	static struct unwind_module module;
	static struct unwind_map map;
	const struct unwind_hint hint = { .lo = START,
					  .hi = START + 0x100,
					  .rule = { .kind = UNWIND_END } };
	const struct unwind_source source = { .machine = EM_X86_64,
					      .text_lo = CODE,
					      .text_hi = CODE + 0x1000,
					      .hints = &hint,
					      .n_hints = 1 };
	struct span image;

	CHECK_EQ(unwind_compile(&source, arena, &image, NULL), 0);
	CHECK_EQ(unwind_table_open(&table, image, NULL), 0);
	module = (struct unwind_module){ .lo = CODE,
					 .hi = CODE + 0x1000,
					 .table = &table };
	map = (struct unwind_map){ &module, 1, 1 };
	return &map;
}

/* A stack of three frames, of which the last was read too late. */
static void half_a_stack(struct callstack *s)
{
	s->count = 3;
	s->inferred = 1;
	s->reason = UNWIND_NO_CODE;
	s->pc[0] = CODE;
	s->pc[1] = CODE + 0x10;
	s->pc[2] = CODE + 0x666;
}

TEST(the_kernels_chain_is_the_rest_where_it_reaches_the_start)
{
	static struct callstack s;
	struct arena arena = { 0 };
	const struct unwind_map *map = map_with_start(&arena);
	uint64_t chain[] = { (uint64_t)PERF_CONTEXT_USER, CODE, CODE + 0x11,
			     CODE + 0x31, START + 1 };

	half_a_stack(&s);
	chain_join(map, span_of(chain, sizeof(chain)), &s);
	CHECK_EQ(s.reason, UNWIND_COMPLETE);
	CHECK_EQ(s.inferred, 0);
	CHECK_EQ(s.count, 4);
	CHECK_EQ(s.pc[2], CODE + 0x30);
	CHECK_EQ(s.pc[3], START);

	/* What was read later is kept where it meets the chain. */
	half_a_stack(&s);
	s.count = 4;
	s.inferred = 2;
	s.pc[3] = CODE + 0x30;
	chain_join(map, span_of(chain, sizeof(chain)), &s);
	CHECK_EQ(s.count, 5);
	CHECK_EQ(s.pc[2], CODE + 0x666);
	CHECK_EQ(s.pc[4], START);
	arena_release(&arena);
}

TEST(a_chain_that_does_not_reach_the_start_is_rubbish)
{
	static struct callstack s;
	struct arena arena = { 0 };
	const struct unwind_map *map = map_with_start(&arena);
	uint64_t chain[] = { (uint64_t)PERF_CONTEXT_USER, CODE, CODE + 0x11,
			     CODE + 0x31 };

	half_a_stack(&s);
	chain_join(map, span_of(chain, sizeof(chain)), &s);
	CHECK_EQ(s.reason, UNWIND_NO_CODE);
	CHECK_EQ(s.count, 3);
	chain_join(map, (struct span){ 0 }, &s);
	CHECK_EQ(s.count, 3);
	arena_release(&arena);
}

static uint64_t seen[8];
static unsigned seen_count;

static void note_time(void *context, const struct record *r)
{
	(void)context;
	seen[seen_count++] = r->time;
}

/* A record that says nothing but its time. */
struct empty_record {
	struct perf_event_header header;
	uint64_t thread;
	uint64_t time;
	uint64_t cpu;
};

static struct empty_record at_time(uint64_t time)
{
	return (struct empty_record){
		.header = { .type = PERF_RECORD_THROTTLE,
			    .size = sizeof(struct empty_record) },
		.time = time,
	};
}

TEST(records_come_in_the_order_of_their_times)
{
	const struct empty_record one[] = { at_time(30), at_time(10) };
	const struct empty_record two[] = { at_time(20), at_time(60) };
	static struct batches b;
	struct timeline t = { .batches = &b };

	CHECK_EQ(batches_init(&b), 0);
	CHECK_EQ(batch_put(&b, span_of(one, sizeof(one)), 15), 0);
	CHECK_EQ(batch_put(&b, span_of(two, sizeof(two)), 50), 0);
	timeline_add(&t, batch_take(&b), note_time, NULL);
	CHECK_EQ(seen_count, 1);
	timeline_add(&t, batch_take(&b), note_time, NULL);
	CHECK_EQ(seen_count, 3);
	CHECK_EQ(seen[0], 10);
	CHECK_EQ(seen[1], 20);
	CHECK_EQ(seen[2], 30);
	timeline_finish(&t, note_time, NULL);
	CHECK_EQ(seen[3], 60);
	CHECK_EQ(batches_size(&b), 0);
	timeline_release(&t);
	batches_release(&b);
}
