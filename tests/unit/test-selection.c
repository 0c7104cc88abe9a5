/* SPDX-License-Identifier: MIT */
/* What filters leave is kept, and nobody sees that from outside. */
#include "report/selection.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "folded.h"
#include "report/report.h"
#include "report/view.h"

static const char stacks[] = "main;a;b 1\n"
			     "main;a;c 2\n"
			     "main;d;b 4\n";

struct asked {
	struct profile profile;
	struct selections kept;
	struct arena arena;
	struct sink out;
	struct sink talk;
	struct error err;
};

static void begin(struct asked *a)
{
	*a = (struct asked){ 0 };
	a->profile = folded(&a->arena, stacks);
}

static void end(struct asked *a)
{
	selections_release(&a->kept);
	arena_release(&a->arena);
}

static labels_id user_and_verb(struct profile *p)
{
	struct label labels[] = {
		{ .key = strtab_add_text(p->strings, "user"),
		  .text = strtab_add_text(p->strings, "ann") },
		{ .key = strtab_add_text(p->strings, "verb"),
		  .text = strtab_add_text(p->strings, "put") },
	};

	return labels_add(&p->label_sets, labels, ARRAY_SIZE(labels));
}

static int ask(struct asked *a, const struct view *view)
{
	const struct report_request request = {
		.report = report_find("traces"),
		.profile = &a->profile,
		.view = view,
		.talk = &a->talk,
		.selections = &a->kept,
	};

	a->out = sink_to_memory(&a->arena);
	a->talk = sink_to_memory(&a->arena);
	return report_make(&request, &a->out, &a->err);
}

static bool says(const struct sink *s, const char *text)
{
	return s->used && memmem(s->buf, s->used, text, strlen(text));
}

TEST(a_filter_that_matches_nothing_says_so_each_time)
{
	struct view view = view_default;
	struct asked a;

	begin(&a);
	view.hide = "nothing";
	for (unsigned i = 0; i < 4; i++) {
		view.noinlines = i % 2;
		CHECK_EQ(ask(&a, &view), 0);
		CHECK(says(&a.talk, "Hide expression matched no samples\n"));
		CHECK(says(&a.out, "main"));
	}
	end(&a);
}

TEST(each_filter_leaves_its_own)
{
	static const struct {
		const char *focus;
		const char *ignore;
		bool a, c, d;
	} cases[] = {
		{ NULL, NULL, true, true, true },
		{ "^c$", NULL, true, true, false },
		{ "^b$", NULL, true, false, true },
		{ NULL, "^c$", true, false, true },
		{ "^d$", NULL, false, false, true },
		{ "^b$", "^d$", true, false, false },
		{ "", "", true, true, true },
	};
	struct view view = view_default;
	struct asked a;

	begin(&a);
	/* More of them than are kept, and twice. */
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		unsigned n = i % ARRAY_SIZE(cases);

		view.focus = cases[n].focus;
		view.ignore = cases[n].ignore;
		CHECK_EQ(ask(&a, &view), 0);
		CHECK_EQ(says(&a.out, " a\n"), cases[n].a);
		CHECK_EQ(says(&a.out, " c\n"), cases[n].c);
		CHECK_EQ(says(&a.out, " d\n"), cases[n].d);
	}
	end(&a);
}

/* A stack that ends with a function inlined in another. */
static void add_inlined(struct profile *p)
{
	location_id frames[2];
	struct line lines[2];
	const struct location real = { .id = 99, .mapping = 1, .address = 77 };

	folded_functions(p, frames, 2);
	for (unsigned i = 0; i < 2; i++)
		lines[i] = *location_lines(p, &p->locations.at[frames[i]]);
	frames[0] = profile_add_location(p, real, lines, 2);
	*profile_add_sample(p, stack_add(&p->stacks, 0, frames, 1), 0) = 8;
}

TEST(what_is_inlined_goes_after_all_filters)
{
	static const struct {
		const char *hide;
		bool noinlines;
		bool inlined, b;
	} cases[] = {
		{ NULL, false, true, true },   { NULL, true, false, true },
		{ "^b$", false, true, false }, { "^b$", true, false, false },
		{ "^c$", true, false, true },  { "^c$", false, true, true },
		{ "no", true, false, true },   { "^b$", true, false, false },
		{ "^d$", false, true, true },  { "^d$", true, false, true },
	};
	struct view view = view_default;
	struct asked a;

	begin(&a);
	add_inlined(&a.profile);
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		unsigned n = i % ARRAY_SIZE(cases);

		view.hide = cases[n].hide;
		view.noinlines = cases[n].noinlines;
		CHECK_EQ(ask(&a, &view), 0);
		CHECK_EQ(says(&a.out, " f0"), cases[n].inlined);
		CHECK(says(&a.out, " f1\n"));
		CHECK_EQ(says(&a.out, " b\n"), cases[n].b);
		CHECK_EQ(says(&a.talk, "Hide expression matched no samples\n"),
			 cases[n].hide && !strcmp(cases[n].hide, "no"));
	}
	end(&a);
}

/* Tags in stacks stay until others come, and so do filters of them. */
TEST(tags_are_put_into_stacks_once_for_all_filters)
{
	static const struct {
		const char *tagroot;
		const char *tagleaf;
		const char *focus;
		bool user, verb, c;
	} cases[] = {
		{ "user", NULL, NULL, true, false, true },
		{ "user", NULL, "^c$", true, false, true },
		{ NULL, "verb", "^d$", false, true, false },
		{ "user", "verb", NULL, true, true, true },
		{ NULL, NULL, NULL, false, false, true },
		{ "", NULL, "^c$", false, false, true },
		{ "user", NULL, "^b$", true, false, false },
	};
	struct view view = view_default;
	struct asked a;

	begin(&a);
	for (uint32_t i = 0; i < a.profile.sample_count; i++)
		a.profile.labels[i] = user_and_verb(&a.profile);
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		unsigned n = i % ARRAY_SIZE(cases);

		view.tagroot = cases[n].tagroot;
		view.tagleaf = cases[n].tagleaf;
		view.focus = cases[n].focus;
		CHECK_EQ(ask(&a, &view), 0);
		CHECK_EQ(says(&a.out, "   ann\n"), cases[n].user);
		CHECK_EQ(says(&a.out, "   put\n"), cases[n].verb);
		CHECK_EQ(says(&a.out, " c\n"), cases[n].c);
	}
	end(&a);
}

TEST(tags_that_nobody_has_are_remarked_upon_each_time)
{
	struct view view = view_default;
	struct asked a;

	begin(&a);
	view.tagroot = "nothing";
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(ask(&a, &view), 0);
		CHECK(says(&a.talk, "TagRoot expression matched no samples\n"));
	}
	end(&a);
}

TEST(a_bad_filter_leaves_the_others_alone)
{
	struct view view = view_default;
	struct asked a;

	begin(&a);
	CHECK_EQ(ask(&a, &view), 0);
	for (unsigned i = 0; i < 2; i++) {
		view.focus = "(";
		CHECK_EQ(ask(&a, &view), -EINVAL);
		view.focus = "^d$";
		CHECK_EQ(ask(&a, &view), 0);
		CHECK(!says(&a.out, " c\n"));
	}
	/* What was said before the mistake was found is still said. */
	view.hide = "nothing";
	view.taghide = "(";
	CHECK(ask(&a, &view) < 0);
	CHECK(says(&a.talk, "Hide expression matched no samples\n"));
	end(&a);
}

TEST(percentages_are_of_what_they_are_said_to_be)
{
	struct view view = view_default;
	struct asked a;
	const struct report *top = report_find("top");

	begin(&a);
	view.focus = "^a$";
	for (unsigned i = 0; i < 4; i++) {
		const struct report_request request = {
			.report = top,
			.profile = &a.profile,
			.view = &view,
			.selections = &a.kept,
		};

		view.relative_percentages = i % 2;
		a.out = sink_to_memory(&a.arena);
		CHECK_EQ(report_make(&request, &a.out, &a.err), 0);
		CHECK(says(&a.out, i % 2 ? "100% of 3" : "42.86% of 7"));
	}
	end(&a);
}
