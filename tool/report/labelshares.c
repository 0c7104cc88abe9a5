/* SPDX-License-Identifier: MIT */
/*
 * See labelshares.h.  Samples are taken set by set.  What a set spends in each
 * node is then small enough to stay near the processor, where a table of all
 * nodes and sets would be all over memory, and workers share the sets.
 */
#include "report/labelshares.h"

#include <errno.h>
#include <string.h>

#include "base/workers.h"
#include "report/context.h"
#include "report/nodepaths.h"
#include "report/team.h"

struct part {
	struct arena scratch;
	labels_id begin; /* sets */
	labels_id end;
	VEC(struct label_share) done;

	/* The set being added up. */
	struct label_share *sums; /* by node's number; sample + 1, 0: none */
	VEC(uint32_t) nodes;	  /* that have some */
	bool failed;
	WORKERS_APART;
};

struct job {
	const struct report_context *c;
	const struct node_paths *paths;
	uint32_t chosen;
	uint32_t *samples; /* by set, each set's as they come */
	uint32_t *first;   /* set s has samples[first[s]] to [first[s + 1]] */
	unsigned parts;
	struct part part[WORKERS_MAX];
};

static struct weight weight_of(const struct report_context *c, uint32_t sample)
{
	const int64_t *v = profile_values(&c->profile, sample);

	return (struct weight){ (uint64_t)v[c->value.index],
				c->value.mean ? (uint64_t)v[0] : 0 };
}

static bool counts(const struct job *j, const bool *wanted, uint32_t sample)
{
	struct weight w = weight_of(j->c, sample);

	return wanted[j->c->profile.labels[sample]] && (w.value || w.div);
}

static int sort_samples(struct job *j, const bool *wanted,
			struct arena *scratch)
{
	const struct profile *p = &j->c->profile;
	uint32_t sets = p->label_sets.sets.count;
	uint32_t *next;

	j->samples = ARENA_ARRAY(scratch, uint32_t, p->sample_count);
	j->first = ARENA_ARRAY(scratch, uint32_t, (size_t)sets + 1);
	next = ARENA_ARRAY(scratch, uint32_t, (size_t)sets + 1);
	if (scratch->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++)
		j->first[p->labels[i] + 1] += counts(j, wanted, i);
	for (uint32_t s = 0; s < sets; s++)
		j->first[s + 1] += j->first[s];
	memcpy(next, j->first, ((size_t)sets + 1) * sizeof(*next));
	for (uint32_t i = 0; i < p->sample_count; i++)
		if (counts(j, wanted, i))
			j->samples[next[p->labels[i]]++] = i;
	return 0;
}

/* The set from which on there are about that many samples before. */
static labels_id set_after(const struct job *j, uint64_t samples)
{
	labels_id low = 0, high = j->c->profile.label_sets.sets.count;

	while (low < high) {
		labels_id middle = low + (high - low) / 2;

		if (j->first[middle] < samples)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int cut_parts(struct job *j)
{
	uint32_t sets = j->c->profile.label_sets.sets.count;
	uint64_t samples = j->first[sets];

	for (unsigned i = 0; i < j->parts; i++) {
		struct part *p = &j->part[i];

		*p = (struct part){ 0 };
		p->begin = set_after(j, samples * i / j->parts);
		p->end = i + 1 < j->parts
				 ? set_after(j, samples * (i + 1) / j->parts)
				 : sets;
		p->sums = ARENA_ARRAY(&p->scratch, struct label_share,
				      (size_t)j->chosen + 1);
		if (!p->sums || !VEC_RESERVE(&p->nodes, &p->scratch, j->chosen))
			return -ENOMEM;
	}
	return 0;
}

static struct label_share *share_of(struct part *p, uint32_t chosen,
				    uint32_t sample)
{
	struct label_share *s = &p->sums[chosen];

	if (!s->sample) {
		*s = (struct label_share){ .chosen = chosen,
					   .sample = sample + 1 };
		p->nodes.at[p->nodes.count++] = chosen;
	}
	return s;
}

static void add(struct weight *to, struct weight w)
{
	to->value += w.value;
	to->div += w.div;
}

static void add_sample(const struct job *j, struct part *p, uint32_t sample)
{
	const struct node_paths *paths = j->paths;
	stack_id stack = j->c->profile.stack[sample];
	struct weight w = weight_of(j->c, sample);

	if (paths->own[stack])
		add(&share_of(p, paths->own[stack], sample)->flat, w);
	for (uint32_t step = paths->last[stack]; step;
	     step = paths->steps.at[step].caller)
		add(&share_of(p, paths->steps.at[step].chosen, sample)->cum, w);
}

/* Samples are all over the profile, and so are their stacks. */
__attribute__((always_inline)) static inline void ask_ahead(const struct job *j,
							    uint32_t place,
							    uint32_t end)
{
	enum { SAMPLE = 32, STACK = 16, STEP = 8 };
	const struct profile *p = &j->c->profile;
	const uint32_t *samples = j->samples + place;

	if (end - place <= SAMPLE)
		return;
	__builtin_prefetch(&p->stack[samples[SAMPLE]]);
	__builtin_prefetch(profile_values(p, samples[SAMPLE]));
	__builtin_prefetch(&j->paths->last[p->stack[samples[STACK]]]);
	__builtin_prefetch(&j->paths->own[p->stack[samples[STACK]]]);
	__builtin_prefetch(
		&j->paths->steps.at[j->paths->last[p->stack[samples[STEP]]]]);
}

/* False: out of memory. */
static bool finish_set(struct part *p, labels_id set)
{
	if (!VEC_RESERVE(&p->done, &p->scratch, p->nodes.count))
		return false;
	for (uint32_t i = 0; i < p->nodes.count; i++) {
		struct label_share *s = &p->sums[p->nodes.at[i]];

		s->set = set;
		s->sample--;
		p->done.at[p->done.count++] = *s;
		s->sample = 0;
	}
	p->nodes.count = 0;
	return true;
}

static void run_part(void *context, unsigned number)
{
	const struct job *j = context;
	struct part *p = &((struct job *)context)->part[number];
	uint32_t end = j->first[p->end];

	for (labels_id s = p->begin; s < p->end; s++) {
		for (uint32_t i = j->first[s]; i < j->first[s + 1]; i++) {
			ask_ahead(j, i, end);
			add_sample(j, p, j->samples[i]);
		}
		if (!finish_set(p, s)) {
			p->failed = true;
			return;
		}
	}
}

/* What parts have found, which their arenas keep; -ENOMEM: too much. */
static int take_parts(struct label_shares *s, const struct job *j)
{
	uint64_t total = 0;

	s->parts = j->parts;
	for (unsigned i = 0; i < j->parts; i++) {
		if (j->part[i].failed)
			return -ENOMEM;
		s->at[i] = j->part[i].done.at;
		s->begin[i] = (uint32_t)total;
		total += j->part[i].done.count;
		if (total > UINT32_MAX)
			return -ENOMEM;
	}
	s->count = (uint32_t)total;
	return 0;
}

/*
 * Brings the numbers of those of each node together.  To move the shares
 * themselves would take as much memory again.
 */
static int put_in_order(struct label_shares *s, const struct job *j,
			struct arena *arena)
{
	uint32_t *next;

	s->order = ARENA_ARRAY(arena, uint32_t, s->count);
	s->first = ARENA_ARRAY(arena, uint32_t, (size_t)j->chosen + 2);
	next = ARENA_ARRAY(arena, uint32_t, (size_t)j->chosen + 2);
	if (arena->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->count; i++)
		s->first[label_share_get(s, i)->chosen + 1]++;
	for (uint32_t n = 0; n <= j->chosen; n++)
		s->first[n + 1] += s->first[n];
	memcpy(next, s->first, ((size_t)j->chosen + 2) * sizeof(*next));
	for (uint32_t i = 0; i < s->count; i++)
		s->order[next[label_share_get(s, i)->chosen]++] = i;
	return 0;
}

int label_shares_make(struct label_shares *s, const struct report_context *c,
		      const bool *wanted, const struct node_paths *paths,
		      uint32_t chosen, struct arena *arena)
{
	const struct workers *team = team_for(c->profile.sample_count);
	struct job j = {
		.c = c,
		.paths = paths,
		.chosen = chosen,
		.parts = workers_parts(team),
	};
	struct arena scratch = { 0 };
	int r = sort_samples(&j, wanted, &scratch);

	*s = (struct label_shares){ 0 };
	if (r == 0)
		r = cut_parts(&j);
	if (r == 0) {
		workers_run(team, run_part, &j);
		r = take_parts(s, &j);
	}
	if (r == 0)
		r = put_in_order(s, &j, arena);
	for (unsigned i = 0; i < j.parts; i++)
		arena_adopt(arena, &j.part[i].scratch);
	arena_release(&scratch);
	return r;
}
