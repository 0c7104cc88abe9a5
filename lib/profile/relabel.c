/* SPDX-License-Identifier: MIT */
/* See relabel.h. */
#include "profile/relabel.h"

#include <errno.h>

#include "profile/profile.h"

struct work {
	struct profile *p;
	const struct relabeling *r;
	struct arena *scratch;
	labels_id *changed; /* by set */
	bool *done;	    /* by set */
	VEC(struct label) left;
};

/* The set that takes a set's place; when memory ran out, any. */
static labels_id change(struct work *w, labels_id id)
{
	uint32_t count;
	const struct label *old = labels_get(&w->p->label_sets, id, &count);

	w->left.count = 0;
	if (!VEC_RESERVE(&w->left, w->scratch, count + 1))
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (w->r->keeps(w->r->context, &old[i]))
			w->left.at[w->left.count++] = old[i];
	if (w->r->add)
		w->left.at[w->left.count++] = *w->r->add;
	return labels_add(&w->p->label_sets, w->left.at, w->left.count);
}

static void change_samples(struct work *w)
{
	struct profile *p = w->p;

	for (uint32_t i = 0; i < p->sample_count; i++) {
		labels_id id = p->labels[i];

		if (!w->done[id])
			w->changed[id] = change(w, id);
		w->done[id] = true;
		p->labels[i] = w->changed[id];
	}
}

int profile_relabel(struct profile *p, const struct relabeling *r)
{
	struct arena scratch = { 0 };
	uint32_t sets = p->label_sets.sets.count;
	struct work w = {
		.p = p,
		.r = r,
		.scratch = &scratch,
		.changed = ARENA_ARRAY(&scratch, labels_id, sets),
		.done = ARENA_ARRAY(&scratch, bool, sets),
	};
	bool failed;

	if (!scratch.failed)
		change_samples(&w);
	failed = scratch.failed || p->label_sets.arena->failed;
	arena_release(&scratch);
	return failed ? -ENOMEM : 0;
}

static bool is_other(void *context, const struct label *l)
{
	const struct label *add = context;

	return l->numeric || l->key != add->key;
}

int profile_set_label(struct profile *p, const char *key, const char *value)
{
	struct label add = {
		.key = strtab_add_text(p->strings, key),
		.text = strtab_add_text(p->strings, value),
	};
	const struct relabeling r = { .keeps = is_other,
				      .context = &add,
				      .add = &add };

	return p->arena->failed ? -ENOMEM : profile_relabel(p, &r);
}

static bool says_something(void *context, const struct label *l)
{
	(void)context;
	return l->text || l->number || l->unit;
}

static bool all_say_something(const struct labeltab *t)
{
	for (uint32_t i = 0; i < t->labels.count; i++)
		if (!says_something(NULL, &t->labels.at[i]))
			return false;
	return true;
}

int profile_drop_blank_labels(struct profile *p)
{
	const struct relabeling r = { .keeps = says_something };

	return all_say_something(&p->label_sets) ? 0 : profile_relabel(p, &r);
}
