/* SPDX-License-Identifier: MIT */
/* See suffix.h. */
#include "collect/suffix.h"

#include <stdlib.h>
#include <string.h>

struct suffix {
	uint32_t count;
	uint32_t capacity;
	struct stack_frame frame[];
};

void suffix_set(struct suffix **s, const struct stack_frame *frames,
		uint32_t count)
{
	struct suffix *to = *s;

	if (!to || to->capacity < count) {
		to = realloc(to, sizeof(*to) + count * sizeof(*frames));
		if (!to)
			return;
		to->capacity = count;
		*s = to;
	}
	to->count = count;
	memcpy(to->frame, frames, count * sizeof(*frames));
}

const struct stack_frame *suffix_find(const struct suffix *s,
				      struct stack_frame frame,
				      uint32_t *ret_count)
{
	if (!s)
		return NULL;
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->frame[i].sp != frame.sp || s->frame[i].pc != frame.pc)
			continue;
		*ret_count = s->count - i - 1;
		return &s->frame[i + 1];
	}
	return NULL;
}

void suffix_free(struct suffix *s)
{
	free(s);
}
