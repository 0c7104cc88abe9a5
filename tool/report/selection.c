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

void selections_release(struct selections *s)
{
	for (unsigned i = SELECTIONS; i-- > 0;)
		release(s->at[i]);
	*s = (struct selections){ 0 };
}

static uint64_t text_key(const char *text)
{
	return text && *text ? xxh64(span_text(text)) : 0;
}

/* All that filters depend on.  0: nothing is left out. */
static uint64_t key_of(const struct view *v)
{
	const uint64_t parts[] = {
		text_key(v->focus),
		text_key(v->ignore),
		text_key(v->hide),
		text_key(v->show),
		text_key(v->show_from),
		text_key(v->prune_from),
		text_key(v->tagfocus),
		text_key(v->tagignore),
		text_key(v->tagshow),
		text_key(v->taghide),
		v->noinlines ? 1u + v->showcolumns : 0,
	};
	uint64_t any = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		any |= parts[i];
	return any ? xxh64(span_of(parts, sizeof(parts))) | 1 : 0;
}

/* Applies the filters to x, as if it were the context of a report. */
static int choose(struct selection *x, const struct report_context *c,
		  struct error *err)
{
	struct sink remarks = sink_to_memory(&x->arena);
	struct report_request request = *c->request;
	struct report_context own = *c;
	int r;

	request.talk = &remarks;
	own.request = &request;
	own.arena = &x->arena;
	profile_derive(&own.profile, c->request->profile, &x->arena);
	r = filter_apply(&own, err);
	x->profile = own.profile;
	x->remarks = sink_bytes(&remarks);
	return r;
}

/* Filters that leave code as it is leave it its nodes. */
static const struct report_memo *kin_of(const struct selection *x,
					const struct selections *s)
{
	const uint32_t code = PROFILE_LOCATIONS | PROFILE_FUNCTIONS |
			      PROFILE_MAPPINGS;

	return s->at[0] && !(x->profile.owned & code) ? &s->at[0]->memo : NULL;
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

static int make(struct selections *s, unsigned place, uint64_t key,
		const struct report_context *c, struct error *err)
{
	struct selection *x = new_selection(key);
	int r;

	if (!x)
		return error_set(err, -ENOMEM, "out of memory");
	release(s->at[place]);
	s->at[place] = NULL;
	r = choose(x, c, err);
	if (r < 0) {
		say(x, c);
		release(x);
		return r;
	}
	x->memo.profile = &x->profile;
	x->memo.kin = kin_of(x, s);
	s->at[place] = x;
	return 0;
}

int selections_apply(struct selections *s, struct report_context *c,
		     struct error *err)
{
	uint64_t key = key_of(&c->view);
	unsigned place = place_of(s, key);
	struct selection *x = s->at[place];
	int r = x && x->key == key ? 0 : make(s, place, key, c, err);

	if (r < 0)
		return r;
	x = s->at[place];
	x->used = ++s->uses;
	say(x, c);
	profile_derive(&c->profile, &x->profile, c->arena);
	c->memo = &x->memo;
	return 0;
}
