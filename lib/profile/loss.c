/* SPDX-License-Identifier: MIT */
/*
 * What is missing from a profile, in words.  Here and nowhere else, so that
 * every report says the same.
 */
#include "profile/loss.h"

#include "base/sink.h"

/* What is said of one, and what follows the number of several. */
struct sentence {
	const char *one;
	const char *many;
};

static const struct sentence sentences[LOSS_KINDS] = {
	[LOSS_OTHER] = {
		"something was lost in a way that only a newer wick can name",
		"things were lost in a way that only a newer wick can name",
	},
	[LOSS_CUT] = {
		"the recording ends in the middle of a block: 1 block lost",
		"recordings end in the middle of a block: 1 block lost in each",
	},
	[LOSS_UNCLOSED] = {
		"the recording was not closed: its last moments may be missing",
		"recordings were not closed: their last moments may be missing",
	},
	[LOSS_BLOCKS] = {
		"1 block is damaged or missing: what it named shows as [lost]",
		"blocks are damaged or missing: what they named shows as [lost]",
	},
	[LOSS_BYTES] = {
		"1 byte of the recording could not be used",
		"bytes of the recording could not be used",
	},
	[LOSS_SAMPLES] = {
		"1 sample was lost",
		"samples were lost",
	},
	[LOSS_STACKS] = {
		"1 stack is cut: it does not reach its thread's start",
		"stacks are cut: they do not reach their thread's start",
	},
	[LOSS_THROTTLE] = {
		"the kernel made sampling pause once: too many samples",
		"times the kernel made sampling pause: too many samples",
	},
};

void loss_add(struct loss *l, const struct loss *other)
{
	for (unsigned i = 0; i < LOSS_KINDS; i++)
		l->count[i] += other->count[i];
}

void loss_write(const struct loss *l, struct sink *out)
{
	for (unsigned i = 0; i < LOSS_KINDS; i++) {
		const struct sentence *s = &sentences[i];
		uint64_t count = l->count[i];

		if (count == 1)
			sink_format(out, "%s\n", s->one);
		else if (count)
			sink_format(out, "%llu %s\n", (unsigned long long)count,
				    s->many);
	}
}
