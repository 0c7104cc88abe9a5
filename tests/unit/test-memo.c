/* SPDX-License-Identifier: MIT */
/*
 * Reports with a memo, alone or with somebody who works ahead, are those that
 * are made without one, whatever was asked before.
 */
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "folded.h"
#include "random.h"
#include "report/ahead.h"
#include "report/report.h"
#include "report/selection.h"
#include "report/view.h"

enum {
	FUNCTIONS = 300,
	FUNCTIONS_MOST = 1000,
	STACKS = 110000, /* as many as make a profile large */
	DEPTH = 9,
};

/* Stacks that are all different, and recur into the same few functions. */
static struct profile profile_of(unsigned functions, struct arena *arena)
{
	struct profile p = folded(arena, "start 1\n");
	uint64_t random = RANDOM_START;
	frame_id locations[FUNCTIONS_MOST];

	folded_functions(&p, locations, functions);
	for (unsigned i = 0; i < STACKS; i++) {
		frame_id frames[DEPTH];

		for (unsigned d = 0; d < DEPTH; d++) {
			frames[d] = locations[random_next(&random) % functions];
		}
		*profile_add_sample(&p, stack_add(&p.stacks, 0, frames, DEPTH),
				    0) = 1 + random % 3;
	}
	return p;
}

static struct profile large_profile(struct arena *arena)
{
	return profile_of(FUNCTIONS, arena);
}

struct question {
	const char *report;
	const char *argument;
	bool by_cum;
	bool tree;
	const char *focus;
	const char *hide;
	const char *trim_path;
	const char *tagroot;
	const char *tagleaf;
	enum granularity granularity;
};

static struct span answer(const struct profile *p, const struct question *q,
			  struct selections *kept, struct arena *arena)
{
	struct view view = view_default;
	const struct report_request request = {
		.report = report_find(q->report),
		.profile = p,
		.view = &view,
		.argument = q->argument,
		.selections = kept,
	};
	struct sink out = sink_to_memory(arena);
	struct error err = { 0 };

	view.sort_cum = q->by_cum;
	view.call_tree = q->tree;
	view.focus = q->focus;
	view.hide = q->hide;
	view.trim_path = q->trim_path;
	view.tagroot = q->tagroot;
	view.tagleaf = q->tagleaf;
	view.granularity = q->granularity;
	CHECK_EQ(report_make(&request, &out, &err), 0);
	return sink_bytes(&out);
}

static const struct question questions[] = {
	{ .report = "top" },
	{ .report = "callgrind" },
	{ .report = "weblist", .argument = "f12" },
	{ .report = "peek", .argument = "f12" },
	{ .report = "callgrind", .by_cum = true },
	{ .report = "peek", .argument = "." },
	{ .report = "top", .by_cum = true },
	{ .report = "top", .focus = "f12" },
	{ .report = "peek", .argument = ".", .hide = "f1" },
	{ .report = "callgrind", .focus = "f3", .hide = "f2" },
	{ .report = "callgrind", .by_cum = true },
	{ .report = "peek", .argument = "^f1$", .by_cum = true },
	{ .report = "tree" },
	{ .report = "peek", .argument = "." },
	{ .report = "callgrind", .hide = "f2" },
	{ .report = "callgrind", .focus = "^f12$", .tree = true },
	{ .report = "callgrind", .focus = "^f12$" },
	{ .report = "callgrind", .focus = "^f12$", .tree = true },
	{ .report = "callgrind",
	  .focus = "^f12$",
	  .tree = true,
	  .by_cum = true },
	{ .report = "callgrind", .focus = "^f12$", .hide = "f2", .tree = true },
};

static void check_same(struct span with, struct span without)
{
	CHECK(with.len > 100);
	CHECK_EQ(with.len, without.len);
	CHECK_EQ(memcmp(with.at, without.at, with.len), 0);
}

static void check_answer(const struct profile *p, const struct question *q,
			 struct selections *kept)
{
	struct arena arena = { 0 };

	check_same(answer(p, q, kept, &arena), answer(p, q, NULL, &arena));
	arena_release(&arena);
}

/* The answers about the large profile, made once. */
static struct span expected(const struct profile *p, size_t question)
{
	static struct span known[ARRAY_SIZE(questions)];
	static struct arena arena;

	if (!known[question].at)
		known[question] = answer(p, &questions[question], NULL, &arena);
	return known[question];
}

static void check_answers(const struct profile *p, struct selections *kept)
{
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		struct arena arena = { 0 };

		check_same(answer(p, &questions[i], kept, &arena),
			   expected(p, i));
		arena_release(&arena);
	}
}

TEST(reports_with_a_memo_are_those_without)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct selections kept = { 0 };

	check_answers(&p, &kept);
	selections_release(&kept);
	arena_release(&arena);
}

/* The files of all functions are in a folder. */
static void put_into_folder(struct profile *p, const char *folder)
{
	for (uint32_t i = 1; i < p->functions.count; i++) {
		struct function *f = &p->functions.at[i];
		char file[64];

		fmt_text(file, sizeof(file), "%s/%s", folder,
			 profile_text(p, f->file));
		f->file = strtab_add_text(p->strings, file);
	}
}

/* How file names are shortened matters where files count, and only there are
 * nodes made again for it. */
TEST(files_are_shortened_as_each_question_says)
{
	static const struct question asked[] = {
		{ .report = "top" },
		{ .report = "callgrind" },
		{ .report = "weblist", .argument = "f12" },
		{ .report = "top", .granularity = GRANULARITY_FILES },
		{ .report = "peek",
		  .argument = "f12",
		  .granularity = GRANULARITY_LINES },
	};
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct selections kept = { 0 };

	put_into_folder(&p, "/src");
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		struct question q = asked[i];

		check_answer(&p, &q, &kept);
		q.trim_path = "/src";
		check_answer(&p, &q, &kept);
		check_answer(&p, &asked[i], &kept);
	}
	selections_release(&kept);
	arena_release(&arena);
}

/* How many entries a memo has. */
static unsigned entries(const struct report_memo *m)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MEMO_ENTRIES; i++)
		count += m->entry[i] != NULL;
	return count;
}

TEST(functions_are_the_same_however_files_are_shortened)
{
	struct question q = { .report = "top" };
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct selections kept = { 0 };

	check_answer(&p, &q, &kept);
	q.trim_path = "/src";
	check_answer(&p, &q, &kept);
	CHECK_EQ(entries(&kept.at[0]->memo), 1);
	selections_release(&kept);
	arena_release(&arena);
}

/* Each sample has one of some values, some of which are names of functions. */
static void put_labels(struct profile *p, const char *key)
{
	enum { VALUES = 40 };
	labels_id sets[VALUES];

	for (unsigned i = 0; i < VALUES; i++) {
		struct label label = { .key = strtab_add_text(p->strings,
							      key) };
		char value[16];

		fmt_text(value, sizeof(value), "f%u%s", i * 3,
			 i % 2 ? "" : "/");
		label.text = strtab_add_text(p->strings, value);
		sets[i] = labels_add(&p->label_sets, &label, 1);
	}
	for (uint32_t i = 0; i < p->sample_count; i++)
		p->labels[i] = sets[i % VALUES];
}

/* Of the nodes that are there some are new, some are known. */
TEST(tags_in_stacks_join_the_nodes_of_all)
{
	static const struct question asked[] = {
		{ .report = "callgrind" },
		{ .report = "callgrind", .tagroot = "request" },
		{ .report = "peek", .argument = ".", .tagroot = "request" },
		{ .report = "callgrind",
		  .tagroot = "request",
		  .focus = "^f12$" },
		{ .report = "peek", .argument = "." },
		{ .report = "top", .tagleaf = "request" },
		{ .report = "peek", .argument = ".", .tagleaf = "request" },
		{ .report = "callgrind", .tagleaf = "request", .hide = "f2" },
	};
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct selections kept = { 0 };

	put_labels(&p, "request");
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		check_answer(&p, &asked[i], &kept);
		if (i == 1) {
			CHECK(kept.at[1]);
			CHECK_EQ(kept.at[1]->memo.kinship, KIN_HAS_MORE);
		}
	}
	selections_release(&kept);
	arena_release(&arena);
}

static void check_ahead(const struct profile *p, const struct view *view,
			bool nodes_first)
{
	struct selections kept = { 0 };

	CHECK(ahead_start(&kept, p, view, nodes_first));
	check_answers(p, &kept);
	selections_release(&kept);
}

TEST(work_done_ahead_changes_no_report)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);

	check_ahead(&p, &view_default, false);
	check_ahead(&p, &view_default, true);
	arena_release(&arena);
}

/* What is made ahead is of what a filter leaves, and of nothing else. */
TEST(work_done_ahead_is_about_what_filters_leave)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct view view = view_default;

	view.focus = "f12";
	check_ahead(&p, &view, false);
	view.focus = "f3";
	view.hide = "f2";
	check_ahead(&p, &view, true);
	arena_release(&arena);
}

/* As at a prompt: options change while work goes on, and questions come. */
TEST(work_ahead_follows_the_options)
{
	static const char *const hidden[] = { NULL, "f1", NULL, "f2", "f3" };
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct selections kept = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		const struct question q = { .report = i % 2 ? "top" : "peek",
					    .argument = i % 2 ? NULL : ".",
					    .hide = hidden[i] };
		struct view view = view_default;

		view.hide = hidden[i];
		(void)ahead_start(&kept, &p, &view, true);
		check_answer(&p, &q, &kept);
	}
	selections_release(&kept);
	arena_release(&arena);
}

TEST(what_is_there_is_not_made_again)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct view view = view_default;
	struct selections kept = { 0 };
	struct ahead *ahead;

	view.focus = "f12";
	ahead = ahead_start(&kept, &p, &view, true);
	CHECK(ahead);
	check_answer(&p,
		     &(struct question){ .report = "peek",
					 .argument = ".",
					 .focus = "f12" },
		     &kept);
	check_answer(
		&p, &(struct question){ .report = "callgrind", .focus = "f12" },
		&kept);
	check_answer(&p,
		     &(struct question){ .report = "list",
					 .argument = "f12",
					 .focus = "f12" },
		     &kept);
	CHECK(!ahead_start(&kept, &p, &view, true));
	selections_release(&kept);
	arena_release(&arena);
}

/* Works ahead until all is made. */
static void make_ahead(struct selections *kept, const struct profile *p,
		       const struct view *view, bool nodes_first)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 60;
	ahead_settle(ahead_start(kept, p, view, nodes_first), &until);
}

/* Also if nobody has asked for it before something else was started. */
TEST(what_was_made_is_there_when_options_are_set_back)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct view view = view_default;
	struct selections kept = { 0 };

	make_ahead(&kept, &p, &view_default, false);
	view.focus = "f12";
	make_ahead(&kept, &p, &view, true);
	CHECK(!ahead_start(&kept, &p, &view_default, true));
	CHECK(!ahead_start(&kept, &p, &view, true));
	selections_release(&kept);
	arena_release(&arena);
}

/* Whether two memos have the very same nodes somewhere, with their order. */
static bool share_ranked_nodes(const struct report_memo *a,
			       const struct report_memo *b)
{
	for (unsigned i = 0; i < MEMO_ENTRIES; i++) {
		const struct memo_entry *e = a->entry[i];
		const struct memo_entry *same = e ? memo_find(b, e->key) : NULL;

		if (same && same->nodes.in == e->nodes.in &&
		    e->nodes.at.ranks &&
		    same->nodes.at.ranks == e->nodes.at.ranks)
			return true;
	}
	return false;
}

/* Though nobody has asked about all of it before. */
TEST(a_part_has_the_nodes_that_were_made_ahead_for_all)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct selections kept = { 0 };

	make_ahead(&kept, &p, &view_default, false);
	ahead_hold(&kept, true);
	check_answer(
		&p, &(struct question){ .report = "callgrind", .focus = "f12" },
		&kept);
	ahead_hold(&kept, false);
	CHECK(kept.at[1]);
	CHECK(share_ranked_nodes(&kept.at[0]->memo, &kept.at[1]->memo));
	CHECK(!ahead_start(&kept, &p, &view_default, false));
	selections_release(&kept);
	arena_release(&arena);
}

/* A call tree is made ahead in place of the graph, and the other way round. */
TEST(trees_are_made_ahead_while_they_are_asked_for)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct view view = view_default;
	struct selections kept = { 0 };

	view.focus = "^f12$";
	for (unsigned i = 0; i < 3; i++) {
		const struct question q = { .report = "callgrind",
					    .focus = view.focus,
					    .tree = i == 1 };

		view.call_tree = q.tree;
		make_ahead(&kept, &p, &view, true);
		CHECK(!ahead_start(&kept, &p, &view, true));
		check_answer(&p, &q, &kept);
		CHECK(!ahead_start(&kept, &p, &view, true));
	}
	selections_release(&kept);
	arena_release(&arena);
}

/* Nearly every call is an edge of its own here: too many to make unasked. */
TEST(graphs_that_are_too_large_to_be_made_ahead_are_made_later)
{
	struct arena arena = { 0 };
	struct profile p = profile_of(FUNCTIONS_MOST, &arena);
	struct selections kept = { 0 };
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 60;
	ahead_settle(ahead_start(&kept, &p, &view_default, false), &until);
	for (unsigned i = 0; i < 3; i++)
		check_answer(&p, &questions[i], &kept);
	selections_release(&kept);
	arena_release(&arena);
}

TEST(work_ahead_may_end_at_any_time)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);

	for (unsigned i = 0; i < 6; i++) {
		struct selections kept = { 0 };
		struct arena text = { 0 };

		CHECK(ahead_start(&kept, &p, &view_default, i % 2));
		/* In the end somebody waits for a part of it. */
		if (i > 1)
			answer(&p, &questions[i], &kept, &text);
		arena_release(&text);
		selections_release(&kept);
	}
	arena_release(&arena);
}

/* Whether somebody waits for it, lets it go on, or ends it. */
TEST(work_ahead_may_be_held_up)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);

	for (unsigned i = 0; i < 3; i++) {
		struct selections kept = { 0 };

		CHECK(ahead_start(&kept, &p, &view_default, true));
		ahead_hold(&kept, true);
		if (i > 0)
			check_answers(&p, &kept);
		ahead_hold(&kept, i == 1);
		if (i > 1)
			check_answers(&p, &kept);
		selections_release(&kept);
	}
	arena_release(&arena);
}

TEST(a_small_profile_needs_nobody)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, "a;b 1\n");
	struct selections kept = { 0 };

	CHECK(!ahead_start(&kept, &p, &view_default, true));
	CHECK(!ahead_take(NULL, 1, true));
	ahead_settle(NULL, NULL);
	ahead_stop(NULL);
	selections_release(&kept);
	arena_release(&arena);
}
