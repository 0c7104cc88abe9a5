/* SPDX-License-Identifier: MIT */
/*
 * The filters of a view.  Locations are judged once each, with every
 * distinct string matched once, and the verdicts are then applied to the
 * stack tree.
 */
#include "report/filter.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "profile/derive.h"
#include "profile/restack.h"
#include "report/context.h"
#include "report/prune.h"
#include "report/team.h"

struct name_filters {
	struct report_context *c;
	struct profile *p;
	const struct workers *workers;
	struct matcher focus;
	struct matcher ignore;
	struct matcher hide;
	struct matcher show;
	struct matcher show_from;
	struct matcher prune_from;
	/* Whether each matched anything. */
	bool focused, ignored, hid, showed, showed_from;
	bool any_hidden;
	/* By location. */
	bool *wanted;
	bool *unwanted;
	bool *hidden;
	bool *mark;
};

static bool line_matches(struct name_filters *f, struct matcher *m,
			 const struct line *line)
{
	const struct function *fn = &f->p->functions.at[line->function];

	return matcher_match(m, fn->name) || matcher_match(m, fn->file);
}

static bool mapping_matches(struct name_filters *f, struct matcher *m,
			    const struct location *l)
{
	return l->mapping &&
	       matcher_match(m, f->p->mappings.at[l->mapping].file);
}

static bool location_matches(struct name_filters *f, struct matcher *m,
			     const struct location *l)
{
	const struct line *lines = location_lines(f->p, l);

	for (uint32_t i = 0; i < l->line_count; i++)
		if (line_matches(f, m, &lines[i]))
			return true;
	return mapping_matches(f, m, l);
}

static void judge_focus(struct name_filters *f, location_id id)
{
	const struct location *l = &f->p->locations.at[id];

	if (matcher_active(&f->ignore) && location_matches(f, &f->ignore, l)) {
		f->ignored = true;
		f->unwanted[id] = true;
	} else if (!matcher_active(&f->focus) ||
		   location_matches(f, &f->focus, l)) {
		f->focused = true;
		f->wanted[id] = true;
	}
}

/* Leaves the location the lines for which matching m is wanted. */
static int select_lines(struct name_filters *f, struct matcher *m,
			struct location *l, bool wanted)
{
	uint32_t count = l->line_count;
	uint32_t first = f->p->lines.count;

	if (mapping_matches(f, m, l)) {
		if (!wanted)
			l->line_count = 0;
		return 0;
	}
	if (!VEC_RESERVE(&f->p->lines, f->p->arena, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct line line = location_lines(f->p, l)[i];

		if (line_matches(f, m, &line) == wanted)
			f->p->lines.at[f->p->lines.count++] = line;
	}
	l->first_line = first;
	l->line_count = f->p->lines.count - first;
	return 0;
}

static int judge_lines(struct name_filters *f, location_id id)
{
	struct location *l = &f->p->locations.at[id];
	int r = 0;

	if (matcher_active(&f->hide) && location_matches(f, &f->hide, l)) {
		f->hid = true;
		r = select_lines(f, &f->hide, l, false);
		f->hidden[id] |= !l->line_count;
	}
	if (r == 0 && matcher_active(&f->show)) {
		r = select_lines(f, &f->show, l, true);
		f->hidden[id] |= !l->line_count;
		f->showed |= l->line_count != 0;
	}
	f->any_hidden |= f->hidden[id];
	return r;
}

static bool selects_samples(const struct name_filters *f)
{
	return matcher_active(&f->focus) || matcher_active(&f->ignore);
}

static bool any_name_filter(const struct name_filters *f)
{
	return selects_samples(f) || matcher_active(&f->hide) ||
	       matcher_active(&f->show);
}

static int apply_names(struct name_filters *f)
{
	int r = 0;

	f->focused = true;
	if (!any_name_filter(f))
		return 0;
	f->focused = false;
	if (matcher_active(&f->hide) || matcher_active(&f->show))
		r = profile_own_locations(f->p);
	for (uint32_t i = 1; i < f->p->locations.count && r == 0; i++) {
		judge_focus(f, i);
		r = judge_lines(f, i);
	}
	/* Who hides frames drops samples that have none, as this does. */
	if (r == 0 && (selects_samples(f) || !f->any_hidden))
		r = restack_focus(f->p, f->wanted, f->unwanted, f->workers);
	if (r == 0 && f->any_hidden)
		r = restack_without(f->p, f->hidden, f->workers);
	return r;
}

/* Cuts the lines outside of the outermost match; false if there is none. */
static bool start_location(struct name_filters *f, struct location *l)
{
	const struct line *lines = location_lines(f->p, l);

	if (mapping_matches(f, &f->show_from, l))
		return true;
	for (uint32_t i = l->line_count; i-- > 0;)
		if (line_matches(f, &f->show_from, &lines[i])) {
			l->line_count = i + 1;
			return true;
		}
	return false;
}

static int apply_show_from(struct name_filters *f)
{
	int r;

	if (!matcher_active(&f->show_from))
		return 0;
	r = profile_own_locations(f->p);
	for (uint32_t i = 1; i < f->p->locations.count && r == 0; i++) {
		f->mark[i] = start_location(f, &f->p->locations.at[i]);
		f->showed_from |= f->mark[i];
	}
	return r < 0 ? r : restack_from(f->p, f->mark, f->workers);
}

/* Cuts the lines inside of the innermost match; false if there is none. */
static bool end_location(struct name_filters *f, struct location *l)
{
	const struct line *lines = location_lines(f->p, l);

	for (uint32_t i = 0; i < l->line_count; i++) {
		str_id name = f->p->functions.at[lines[i].function].name;

		if (!name || !matcher_match(&f->prune_from, name))
			continue;
		l->first_line += i;
		l->line_count -= i;
		return true;
	}
	return false;
}

static int apply_prune_from(struct name_filters *f)
{
	int r;

	if (!matcher_active(&f->prune_from))
		return 0;
	r = profile_own_locations(f->p);
	for (uint32_t i = 1; i < f->p->locations.count && r == 0; i++)
		f->mark[i] = end_location(f, &f->p->locations.at[i]);
	return r < 0 ? r : restack_to(f->p, f->mark, f->workers);
}

static int compile(struct name_filters *f, struct matcher *m,
		   const char *option, const char *pattern, struct error *err)
{
	return matcher_init(m, option, pattern, f->p->strings, f->c->arena,
			    err);
}

static int compile_all(struct name_filters *f, struct tag_filters **tags,
		       struct error *err)
{
	const struct view *v = &f->c->view;
	struct {
		struct matcher *m;
		const char *option;
		const char *pattern;
	} const names[] = {
		{ &f->focus, "focus", v->focus },
		{ &f->ignore, "ignore", v->ignore },
		{ &f->hide, "hide", v->hide },
		{ &f->show, "show", v->show },
		{ &f->show_from, "show_from", v->show_from },
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r == 0; i++)
		r = compile(f, names[i].m, names[i].option, names[i].pattern,
			    err);
	if (r == 0)
		r = tag_filters_compile(f->c, tags, err);
	if (r == 0)
		r = compile(f, &f->prune_from, "prune_from", v->prune_from,
			    err);
	f->prune_from.simplify = simple_name;
	return r;
}

static void release_all(struct name_filters *f)
{
	matcher_release(&f->focus);
	matcher_release(&f->ignore);
	matcher_release(&f->hide);
	matcher_release(&f->show);
	matcher_release(&f->show_from);
	matcher_release(&f->prune_from);
}

static void say_unmatched(const struct report_context *c, const char *pattern,
			  bool matched, const char *option)
{
	if (pattern && *pattern && !matched)
		context_say(c, "%s expression matched no samples", option);
}

static int allocate(struct name_filters *f)
{
	size_t count = f->p->locations.count;

	f->wanted = ARENA_ARRAY(f->c->arena, bool, count);
	f->unwanted = ARENA_ARRAY(f->c->arena, bool, count);
	f->hidden = ARENA_ARRAY(f->c->arena, bool, count);
	f->mark = ARENA_ARRAY(f->c->arena, bool, count);
	return f->c->arena->failed ? -ENOMEM : 0;
}

static int run(struct name_filters *f, struct tag_filters *tags,
	       struct error *err)
{
	const struct view *v = &f->c->view;
	int r = allocate(f);

	if (r == 0)
		r = apply_names(f);
	if (r < 0)
		return error_set(err, r, "out of memory");
	say_unmatched(f->c, v->focus, f->focused, "Focus");
	say_unmatched(f->c, v->ignore, f->ignored, "Ignore");
	say_unmatched(f->c, v->hide, f->hid, "Hide");
	say_unmatched(f->c, v->show, f->showed, "Show");
	r = apply_show_from(f);
	say_unmatched(f->c, v->show_from, f->showed_from, "ShowFrom");
	if (r == 0)
		r = tag_filters_apply(f->c, tags);
	if (r < 0)
		return error_set(err, r, "out of memory");
	r = tag_keys_apply(f->c, err);
	if (r < 0)
		return r;
	r = apply_prune_from(f);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

/* Of each location only the real function's line. */
static int drop_inlines(struct profile *p, bool columns)
{
	int r = profile_own_locations(p);

	for (uint32_t i = 1; i < p->locations.count && r == 0; i++) {
		struct location *l = &p->locations.at[i];
		struct line *line;

		if (l->line_count > 1) {
			l->first_line += l->line_count - 1;
			l->line_count = 1;
		}
		line = &p->lines.at[l->first_line];
		if (l->line_count && !columns)
			line->column = 0;
	}
	if (r == 0)
		r = profile_own_mappings(p);
	for (uint32_t i = 1; i < p->mappings.count && r == 0; i++)
		p->mappings.at[i].flags &= ~(uint32_t)MAPPING_HAS_INLINE_FRAMES;
	return r;
}

int inlines_apply(struct report_context *c, struct error *err)
{
	int r = 0;

	if (c->view.noinlines)
		r = drop_inlines(&c->profile, c->view.showcolumns);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

int filter_apply(struct report_context *c, struct error *err)
{
	struct name_filters f = {
		.c = c,
		.p = &c->profile,
		.workers = team_for(c->profile.stacks.nodes.count),
	};
	struct tag_filters *tags = NULL;
	int r = compile_all(&f, &tags, err);

	if (r == 0)
		r = run(&f, tags, err);
	tag_filters_release(tags);
	release_all(&f);
	return r < 0 ? r : inlines_apply(c, err);
}
