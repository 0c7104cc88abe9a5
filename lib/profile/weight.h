/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_WEIGHT_H
#define WICK_PROFILE_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/stack.h"

struct profile;
struct stack_order;

/* Which value of a sample counts. */
struct sample_value {
	uint32_t index;
	bool mean; /* divide by the first value */
};

/* A sum of samples.  Sums wrap around as in pprof, so they are unsigned. */
struct weight {
	uint64_t value;
	uint64_t div; /* 0 unless a mean is wanted */
};

/*
 * For each stack, by its position in the walk's order, what the samples in it
 * and in all stacks that continue it add up to.  A stack's own samples are that
 * less its children's.
 */
struct stack_weights {
	uint64_t *value;
	uint64_t *div; /* NULL unless a mean is wanted */
	bool *any;     /* some sample is not zero, so its edges exist */
};

/* The memory is arena's.  Returns 0 or -ENOMEM. */
int stack_weights_make(struct stack_weights *w, const struct profile *p,
		       const struct stack_order *order,
		       struct sample_value value, struct arena *arena);

static inline struct weight stack_weight(const struct stack_weights *w,
					 uint32_t position)
{
	return (struct weight){ w->value[position],
				w->div ? w->div[position] : 0 };
}

/* Sums by node, say.  The memory is the arena's, where a failure shows. */
struct sums {
	uint64_t *value;
	uint64_t *div; /* NULL unless a mean is wanted */
};

void sums_init(struct sums *s, uint32_t count, bool mean, struct arena *arena);

static inline void sums_add(struct sums *s, uint32_t i, struct weight w)
{
	s->value[i] += w.value;
	if (s->div)
		s->div[i] += w.div;
}

static inline void sums_sub(struct sums *s, uint32_t i, struct weight w)
{
	s->value[i] -= w.value;
	if (s->div)
		s->div[i] -= w.div;
}

static inline struct weight sums_get(const struct sums *s, uint32_t i)
{
	return (struct weight){ s->value[i], s->div ? s->div[i] : 0 };
}

/* Adds to sums that are kept signed for those who read them. */
static inline void weight_add(int64_t *value, int64_t *div, struct weight w)
{
	*value = (int64_t)((uint64_t)*value + w.value);
	*div = (int64_t)((uint64_t)*div + w.div);
}

static inline void weight_sub(int64_t *value, int64_t *div, struct weight w)
{
	*value = (int64_t)((uint64_t)*value - w.value);
	*div = (int64_t)((uint64_t)*div - w.div);
}

#endif /* WICK_PROFILE_WEIGHT_H */
