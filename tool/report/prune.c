/* SPDX-License-Identifier: MIT */
/* See prune.h. */
#include "report/prune.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "profile/derive.h"
#include "profile/profile.h"
#include "profile/restack.h"
#include "report/matcher.h"
#include "report/team.h"

struct span simple_name(struct span name)
{
	/* Brackets that begin these belong to the name. */
	static const char *const reserved[] = { "(anonymous namespace)",
						"operator()" };

	if (name.len && name.at[0] == '.')
		name = span_of(name.at + 1, name.len - 1);
	for (size_t i = 0; i < name.len;) {
		struct span rest = span_of(name.at + i, name.len - i);
		size_t skip = 0;

		for (size_t k = 0; k < 2; k++)
			if (span_starts(rest, reserved[k]))
				skip = strlen(reserved[k]);
		if (!skip && name.at[i] == '(')
			return span_of(name.at, i);
		i += skip ? skip : 1;
	}
	return name;
}

struct pruner {
	struct profile *p;
	struct matcher drop;
	struct matcher keep;
	bool *whole;   /* by location: all of it goes */
	bool *beneath; /* by location: some of its lines went */
};

static bool is_dropped(struct pruner *x, const struct line *line)
{
	str_id name = x->p->functions.at[line->function].name;

	return name && matcher_match(&x->drop, name) &&
	       !matcher_match(&x->keep, name);
}

/* The outermost dropped line takes all that it inlined along. */
static void prune_location(struct pruner *x, location_id id)
{
	struct location *l = &x->p->locations.at[id];
	const struct line *lines = location_lines(x->p, l);
	uint32_t left = 0; /* lines outside of it */

	while (left < l->line_count &&
	       !is_dropped(x, &lines[l->line_count - 1 - left]))
		left++;
	if (left == l->line_count)
		return;
	x->beneath[id] = true;
	if (!left) {
		x->whole[id] = true;
		return;
	}
	l->first_line += l->line_count - left;
	l->line_count = left;
}

static int prune(struct pruner *x, struct arena *scratch)
{
	struct profile *p = x->p;

	x->whole = ARENA_ARRAY(scratch, bool, p->locations.count);
	x->beneath = ARENA_ARRAY(scratch, bool, p->locations.count);
	if (!x->whole || !x->beneath || profile_own_locations(p) < 0)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->locations.count; i++)
		prune_location(x, i);
	return restack_prune(p, x->whole, x->beneath,
			     team_for(p->stacks.nodes.count));
}

static int compile(struct matcher *m, const struct profile *p, str_id pattern,
		   struct arena *scratch, struct error *err)
{
	size_t len = str_len(p->strings, pattern);
	char *whole = arena_alloc(scratch, len + sizeof("^()$"));
	int r;

	*m = (struct matcher){ 0 };
	if (!len)
		return 0;
	if (!whole)
		return error_set(err, -ENOMEM, "out of memory");
	fmt_text(whole, len + sizeof("^()$"), "^(%s)$",
		 profile_text(p, pattern));
	r = matcher_init(m, NULL, whole, p->strings, scratch, err);
	m->simplify = simple_name;
	return r;
}

int profile_remove_uninteresting(struct profile *p, struct error *remark)
{
	struct arena scratch = { 0 };
	struct pruner x = { .p = p };
	struct error err;
	int r;

	if (remark)
		*remark = (struct error){ 0 };
	if (!p->header.drop_frames)
		return 0;
	r = compile(&x.drop, p, p->header.drop_frames, &scratch, &err);
	if (r == 0)
		r = compile(&x.keep, p, p->header.keep_frames, &scratch, &err);
	if (r == 0)
		r = prune(&x, &scratch);
	else if (r == -EINVAL)
		r = error_set(remark, 0,
			      "the profile's drop_frames are ignored: %s",
			      err.text);
	matcher_release(&x.drop);
	matcher_release(&x.keep);
	arena_release(&scratch);
	return r;
}
