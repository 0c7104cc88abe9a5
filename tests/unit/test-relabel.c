/* SPDX-License-Identifier: MIT */
/* Other labels for all samples. */
#include "profile/relabel.h"

#include "folded.h"

static struct arena arena;
static struct profile profile;

/* A profile of three samples. */
static void begin(void)
{
	arena_release(&arena);
	profile = folded(&arena, "a 1\nb 2\nc 3\n");
}

static struct label numbered(const char *key, int64_t number, const char *unit)
{
	return (struct label){ .key = strtab_add_text(profile.strings, key),
			       .number = number,
			       .unit = strtab_add_text(profile.strings, unit),
			       .numeric = true };
}

static struct label named(const char *key, const char *text)
{
	return (struct label){ .key = strtab_add_text(profile.strings, key),
			       .text = strtab_add_text(profile.strings, text) };
}

static void give(uint32_t sample, struct label *labels, uint32_t count)
{
	profile.labels[sample] = labels_add(&profile.label_sets, labels, count);
}

static uint32_t count_of(uint32_t sample)
{
	uint32_t count;

	labels_get(&profile.label_sets, profile.labels[sample], &count);
	return count;
}

static const struct label *label_of(uint32_t sample, uint32_t i)
{
	uint32_t count;

	return labels_get(&profile.label_sets, profile.labels[sample], &count) +
	       i;
}

TEST(a_label_is_set_for_all_in_place_of_its_key)
{
	begin();
	give(1, (struct label[]){ named("k", "old"), named("k", "older") }, 2);
	give(2, (struct label[]){ named("z", "x"), numbered("k", 1, "") }, 2);
	CHECK_EQ(profile_set_label(&profile, "k", "new"), 0);
	CHECK(profile.labels[0]);
	CHECK_EQ(profile.labels[0], profile.labels[1]);
	CHECK_STR(profile_text(&profile, label_of(1, 0)->text), "new");
	CHECK_EQ(count_of(2), 3);
	arena_release(&arena);
}

TEST(what_a_file_can_not_say_is_dropped)
{
	begin();
	give(0, (struct label[]){ numbered("n", 0, "") }, 1);
	give(1,
	     (struct label[]){ numbered("n", 0, ""), numbered("n", 7, ""),
			       named("n", "") },
	     3);
	give(2, (struct label[]){ numbered("n", 0, "bytes") }, 1);
	CHECK_EQ(profile_drop_blank_labels(&profile), 0);
	CHECK_EQ(count_of(0), 0);
	CHECK_EQ(count_of(1), 1);
	CHECK_EQ(label_of(1, 0)->number, 7);
	CHECK_EQ(count_of(2), 1);
	arena_release(&arena);
}

TEST(labels_that_say_something_stay_as_they_are)
{
	labels_id before;

	begin();
	give(1, (struct label[]){ numbered("n", 7, ""), named("a", "b") }, 2);
	before = profile.labels[1];
	CHECK_EQ(profile_drop_blank_labels(&profile), 0);
	CHECK_EQ(profile.labels[1], before);
	CHECK_EQ(profile.labels[0], 0);
	arena_release(&arena);
}
