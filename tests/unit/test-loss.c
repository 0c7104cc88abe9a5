/* SPDX-License-Identifier: MIT */
/* What is missing from a profile, in numbers and in words. */
#include "profile/loss.h"

#include "base/arena.h"
#include "base/sink.h"
#include "test.h"

static struct arena arena;

static const char *words(const struct loss *l)
{
	struct sink out = sink_to_memory(&arena);

	loss_write(l, &out);
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

TEST(nothing_missing_is_not_mentioned)
{
	CHECK_STR(words(&(struct loss){ 0 }), "");
}

TEST(one_and_many_read_as_people_say_it)
{
	struct loss l = { .count = { [LOSS_CUT] = 1, [LOSS_SAMPLES] = 1 } };

	CHECK_STR(words(&l),
		  "the recording ends in the middle of a block: 1 block lost\n"
		  "1 sample was lost\n");
	loss_add(&l, &(struct loss){ .count = { [LOSS_SAMPLES] = 41 } });
	CHECK_STR(words(&l),
		  "the recording ends in the middle of a block: 1 block lost\n"
		  "42 samples were lost\n");
}

TEST(every_kind_has_words)
{
	for (unsigned kind = 0; kind < LOSS_KINDS; kind++) {
		struct loss l = { 0 };

		l.count[kind] = 1;
		CHECK(words(&l)[0]);
		l.count[kind] = UINT64_MAX;
		CHECK(words(&l)[0]);
	}
}
