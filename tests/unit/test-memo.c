/* SPDX-License-Identifier: MIT */
/*
 * Reports with a memo, alone or with somebody who works ahead, are those that
 * are made without one, whatever was asked before.
 */
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "folded.h"
#include "report/ahead.h"
#include "report/memo.h"
#include "report/report.h"
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
	uint64_t random = 88172645463325252u;
	frame_id locations[FUNCTIONS_MOST];

	for (unsigned i = 0; i < functions; i++) {
		char name[16];
		size_t len = fmt_text(name, sizeof(name), "f%u", i);

		locations[i] = folded_location(&p, name, len);
	}
	for (unsigned i = 0; i < STACKS; i++) {
		frame_id frames[DEPTH];

		for (unsigned d = 0; d < DEPTH; d++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			frames[d] = locations[random % functions];
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
	const char *focus;
	const char *hide;
};

static struct span answer(const struct profile *p, const struct question *q,
			  struct report_memo *memo, struct arena *arena)
{
	struct view view = view_default;
	const struct report_request request = {
		.report = report_find(q->report),
		.profile = p,
		.view = &view,
		.argument = q->argument,
		.memo = memo,
	};
	struct sink out = sink_to_memory(arena);
	struct error err = { 0 };

	view.sort_cum = q->by_cum;
	view.focus = q->focus;
	view.hide = q->hide;
	CHECK_EQ(report_make(&request, &out, &err), 0);
	return sink_bytes(&out);
}

static const struct question questions[] = {
	{ .report = "top" },
	{ .report = "callgrind" },
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
};

static void check_answer(const struct profile *p, const struct question *q,
			 struct report_memo *memo)
{
	struct arena arena = { 0 };
	struct span with = answer(p, q, memo, &arena);
	struct span without = answer(p, q, NULL, &arena);

	CHECK(with.len > 100);
	CHECK_EQ(with.len, without.len);
	CHECK_EQ(memcmp(with.at, without.at, with.len), 0);
	arena_release(&arena);
}

static void check_answers(const struct profile *p, struct report_memo *memo)
{
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		check_answer(p, &questions[i], memo);
}

TEST(reports_with_a_memo_are_those_without)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct report_memo memo = { 0 };

	check_answers(&p, &memo);
	memo_release(&memo);
	arena_release(&arena);
}

TEST(work_done_ahead_changes_no_report)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct report_memo memo = {
		.ahead = ahead_start(&p, &view_default),
	};

	check_answers(&p, &memo);
	memo_release(&memo);
	arena_release(&arena);
}

/* What is made ahead is of everything, whatever is left out at that moment. */
TEST(filters_do_not_get_into_work_done_ahead)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);
	struct view view = view_default;
	struct report_memo memo = { 0 };

	view.focus = "f12";
	view.hide = "f2";
	memo.ahead = ahead_start(&p, &view);
	check_answers(&p, &memo);
	memo_release(&memo);
	arena_release(&arena);
}

/* Nearly every call is an edge of its own here: too many to make unasked. */
TEST(graphs_that_are_too_large_to_be_made_ahead_are_made_later)
{
	struct arena arena = { 0 };
	struct profile p = profile_of(FUNCTIONS_MOST, &arena);
	struct report_memo memo = {
		.ahead = ahead_start(&p, &view_default),
	};

	ahead_settle(memo.ahead);
	for (unsigned i = 0; i < 3; i++)
		check_answer(&p, &questions[i], &memo);
	memo_release(&memo);
	arena_release(&arena);
}

TEST(work_ahead_may_end_at_any_time)
{
	struct arena arena = { 0 };
	struct profile p = large_profile(&arena);

	for (unsigned i = 0; i < 4; i++) {
		struct report_memo memo = {
			.ahead = ahead_start(&p, &view_default),
		};
		struct arena text = { 0 };

		/* In the end somebody waits for a part of it. */
		if (i > 1)
			answer(&p, &questions[i], &memo, &text);
		arena_release(&text);
		memo_release(&memo);
	}
	arena_release(&arena);
}

TEST(a_small_profile_needs_nobody)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, "a;b 1\n");

	CHECK(!ahead_start(&p, &view_default));
	CHECK(!ahead_take(NULL, 1, true));
	ahead_stop(NULL);
	arena_release(&arena);
}
