/* SPDX-License-Identifier: MIT */
/* See selection.h. */
#include "report/selection.h"

#include <errno.h>

#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/xxh64.h"
#include "profile/derive.h"
#include "report/context.h"
#include "report/filter.h"
#include "report/report.h"

static void release(struct selection *x)
{
	struct arena arena;

	if (!x)
		return;
	memo_release(&x->memo);
	arena = x->arena;
	arena_release(&arena);
}

/* Frees a place, and those of all that was made of what is there. */
static void vacate(struct selections *s, unsigned place)
{
	for (unsigned i = 0; i < SELECTIONS; i++) {
		if (!s->at[place] || !s->at[i] || s->at[i]->of != s->at[place])
			continue;
		release(s->at[i]);
		s->at[i] = NULL;
	}
	release(s->at[place]);
	s->at[place] = NULL;
}

void selections_release(struct selections *s)
{
	/* All else may have something of the first. */
	for (unsigned i = SELECTIONS; i-- > 0;)
		vacate(s, i);
	release(s->tagged);
	*s = (struct selections){ 0 };
}

static uint64_t text_key(const char *text)
{
	return text && *text ? xxh64(span_text(text)) : 0;
}

static uint64_t key_of_parts(const uint64_t *parts, size_t count)
{
	uint64_t any = 0;

	for (size_t i = 0; i < count; i++)
		any |= parts[i];
	return any ? xxh64(span_of(parts, count * sizeof(*parts))) | 1 : 0;
}

/* All that tags in stacks depend on.  0: there are none. */
static uint64_t key_of_tags(const struct view *v)
{
	bool any = text_key(v->tagroot) || text_key(v->tagleaf);
	const uint64_t parts[] = {
		text_key(v->tagroot),
		text_key(v->tagleaf),
		any ? text_key(v->unit) : 0,
	};

	return key_of_parts(parts, ARRAY_SIZE(parts));
}

/* All that filters depend on.  0: nothing is left out. */
static uint64_t key_of(const struct view *v, bool noinlines)
{
	const uint64_t parts[] = {
		key_of_tags(v),		 text_key(v->focus),
		text_key(v->ignore),	 text_key(v->hide),
		text_key(v->show),	 text_key(v->show_from),
		text_key(v->prune_from), text_key(v->tagfocus),
		text_key(v->tagignore),	 text_key(v->tagshow),
		text_key(v->taghide),	 noinlines ? 1u + v->showcolumns : 0,
	};

	return key_of_parts(parts, ARRAY_SIZE(parts));
}

typedef int apply_view(struct report_context *c, struct error *err);

/* Applies a part of the view to x, as if it were the context of a report. */
static int fill(struct selection *x, const struct report_context *c,
		const struct profile *from, apply_view *apply,
		struct error *err)
{
	struct sink remarks = sink_to_memory(&x->arena);
	struct report_request request = *c->request;
	struct report_context own = *c;
	int r;

	request.talk = &remarks;
	own.request = &request;
	own.arena = &x->arena;
	profile_derive(&own.profile, from, &x->arena);
	r = apply(&own, err);
	x->profile = own.profile;
	x->remarks = sink_bytes(&remarks);
	return r;
}

/* Filters that leave code as it is leave it its nodes; others take lines from
 * locations, and tags in stacks add some. */
static void relate(struct selection *x, const struct selections *s)
{
	const struct selection *all = s->at[0];
	bool lost_lines = x->profile.owned & PROFILE_LOCATIONS;

	if (!all || all == x || x->of ||
	    x->profile.owned & (PROFILE_FUNCTIONS | PROFILE_MAPPINGS) ||
	    (x->of_tagged && lost_lines))
		return;
	x->memo.kin = &all->memo;
	x->memo.kinship = x->of_tagged ? KIN_HAS_MORE
			  : lost_lines ? KIN_LOST_LINES
				       : KIN_SAME;
}

/* Filters that only choose samples leave all stacks where they are. */
static struct memo_trails *trails_of(struct selection *x,
				     const struct selections *s)
{
	if (!x->key)
		return &x->memo.own_trails;
	return x->memo.kin && x->memo.kinship == KIN_SAME &&
			       !(x->profile.owned & PROFILE_STACKS)
		       ? &s->at[0]->memo.own_trails
		       : NULL;
}

/* NULL: out of memory. */
static struct selection *new_selection(uint64_t key)
{
	struct arena arena = { 0 };
	struct selection *x = ARENA_NEW(&arena, struct selection);

	if (!x)
		return NULL;
	x->arena = arena;
	x->key = key;
	return x;
}

/* Where a selection of this key is, or will be instead of another. */
static unsigned place_of(const struct selections *s, uint64_t key)
{
	unsigned place = 1;

	if (!key)
		return 0;
	for (unsigned i = 1; i < SELECTIONS; i++)
		if (s->at[i] && s->at[i]->key == key)
			return i;
	for (unsigned i = 1; i < SELECTIONS && s->at[place]; i++)
		if (!s->at[i] || s->at[i]->used < s->at[place]->used)
			place = i;
	return place;
}

static void say(const struct selection *x, const struct report_context *c)
{
	if (c->request->talk)
		sink_write(c->request->talk, x->remarks.at, x->remarks.len);
}

/* Makes *ret of a profile; on failure it is NULL. */
static int make(struct selection **ret, uint64_t key,
		const struct report_context *c, const struct profile *from,
		apply_view *apply, struct error *err)
{
	struct selection *x = new_selection(key);
	int r;

	*ret = NULL;
	if (!x)
		return error_set(err, -ENOMEM, "out of memory");
	r = fill(x, c, from, apply, err);
	if (r < 0) {
		say(x, c);
		release(x);
		return r;
	}
	*ret = x;
	return 0;
}

static void use(const struct selection *x, struct report_context *c)
{
	say(x, c);
	profile_derive(&c->profile, &x->profile, c->arena);
}

/* With all that was made of it. */
static void release_tagged(struct selections *s)
{
	for (unsigned i = 0; i < SELECTIONS; i++)
		if (s->at[i] && s->at[i]->of_tagged)
			vacate(s, i);
	release(s->tagged);
	s->tagged = NULL;
}

int selections_add_tags(struct selections *s, struct report_context *c,
			struct error *err)
{
	uint64_t key = key_of_tags(&c->view);
	int r = 0;

	if (!key)
		return 0;
	if (!s->tagged || s->tagged->key != key) {
		release_tagged(s);
		r = make(&s->tagged, key, c, c->request->profile, tagroot_apply,
			 err);
	}
	if (r == 0)
		use(s->tagged, c);
	return r;
}

/* The one of the same filters, if it is there, but with what is inlined. */
static struct selection *with_inlines(const struct selections *s,
				      const struct view *v)
{
	uint64_t key = key_of(v, false);

	for (unsigned i = 0; v->noinlines && i < SELECTIONS; i++)
		if (s->at[i] && s->at[i]->key == key)
			return s->at[i];
	return NULL;
}

static int make_at(struct selections *s, unsigned place, uint64_t key,
		   const struct selection *of, const struct report_context *c,
		   struct error *err)
{
	bool tagged = key_of_tags(&c->view) != 0;
	const struct profile *all = tagged ? &s->tagged->profile
					   : c->request->profile;
	struct selection *x;
	int r;

	vacate(s, place);
	r = make(&s->at[place], key, c, of ? &of->profile : all,
		 of ? inlines_apply : filter_apply, err);
	if (r < 0)
		return r;
	x = s->at[place];
	x->of_tagged = tagged;
	x->of = of;
	if (of)
		x->remarks = of->remarks;
	x->memo.profile = &x->profile;
	relate(x, s);
	x->memo.trails = trails_of(x, s);
	return 0;
}

int selections_apply(struct selections *s, struct report_context *c,
		     struct error *err)
{
	uint64_t key = key_of(&c->view, c->view.noinlines);
	struct selection *of = with_inlines(s, &c->view);
	struct selection *x;
	unsigned place;
	int r = 0;

	/* So that it is not let go to make room for what is made of it. */
	if (of)
		of->used = ++s->uses;
	place = place_of(s, key);
	x = s->at[place];
	if (!x || x->key != key)
		r = make_at(s, place, key, of, c, err);
	if (r < 0)
		return r;
	x = s->at[place];
	x->used = ++s->uses;
	use(x, c);
	c->memo = &x->memo;
	return 0;
}
