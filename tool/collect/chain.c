/* SPDX-License-Identifier: MIT */
/* See chain.h. */
#include "collect/chain.h"

#include <linux/perf_event.h>

#include "collect/callstack.h"
#include "collect/record.h"

/* The user's part of the chain: its first address is the interrupted one. */
static struct span user_part(struct span chain)
{
	for (size_t i = 0; i < chain.len / sizeof(uint64_t); i++)
		if (span_word(chain, i) == PERF_CONTEXT_USER)
			return span_part(chain, (i + 1) * sizeof(uint64_t),
					 chain.len -
						 (i + 1) * sizeof(uint64_t));
	return (struct span){ 0 };
}

/* Whether a thread starts in the function that is returned to. */
static bool is_start(const struct unwind_map *map, uint64_t address)
{
	const struct unwind_rule *rule = unwind_map_find(map, address - 1);

	return rule && rule->kind == UNWIND_END;
}

/* Where the chain has a frame of the stack; 0: it has not. */
static size_t find_frame(struct span chain, size_t count, uint64_t pc)
{
	for (size_t i = 1; i < count; i++)
		if (span_word(chain, i) - 1 == pc)
			return i;
	return 0;
}

/* The frame at which to leave the stack for the chain; count: none. */
static uint32_t meeting_point(const struct callstack *s, struct span chain,
			      size_t *ret_at)
{
	size_t count = chain.len / sizeof(uint64_t);
	uint32_t sure = s->count - s->inferred;

	/* What was read later is right if it meets what was seen then. */
	for (uint32_t i = sure; i < s->count; i++)
		if ((*ret_at = find_frame(chain, count, s->pc[i])))
			return i;
	for (uint32_t i = sure; i > 0; i--)
		if ((*ret_at = find_frame(chain, count, s->pc[i - 1])))
			return i - 1;
	return s->count;
}

void chain_join(const struct unwind_map *map, struct span chain,
		struct callstack *s)
{
	struct span user = user_part(chain);
	size_t count = user.len / sizeof(uint64_t);
	size_t at;
	uint32_t i;

	if (count < 2 || !is_start(map, span_word(user, count - 1)))
		return;
	i = meeting_point(s, user, &at);
	if (i == s->count)
		return;
	s->count = i + 1;
	while (++at < count && s->count < CALLSTACK_DEPTH)
		s->pc[s->count++] = span_word(user, at) - 1;
	s->inferred = 0;
	s->reason = UNWIND_COMPLETE;
}
