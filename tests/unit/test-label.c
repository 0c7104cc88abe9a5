/* SPDX-License-Identifier: MIT */
/* Label sets: their order, and that equal ones are one. */
#include "profile/label.h"

#include <stdio.h>

#include "base/arena.h"
#include "test.h"

static struct arena arena;
static struct strtab strings;
static struct labeltab table;

static void begin(void)
{
	arena_release(&arena);
	strtab_init(&strings, &arena);
	labeltab_init(&table, &arena, &strings);
}

static struct label numbered(const char *key, int64_t number)
{
	return (struct label){ .key = strtab_add_text(&strings, key),
			       .number = number,
			       .numeric = true };
}

static struct label named(const char *key, const char *text)
{
	return (struct label){ .key = strtab_add_text(&strings, key),
			       .text = strtab_add_text(&strings, text) };
}

TEST(no_labels_are_the_empty_set)
{
	uint32_t count;

	begin();
	CHECK_EQ(labels_add(&table, NULL, 0), 0);
	CHECK(!labels_get(&table, 0, &count));
	CHECK_EQ(count, 0);
}

TEST(the_same_labels_in_another_order_are_the_same_set)
{
	labels_id first;

	begin();
	first = labels_add(&table,
			   (struct label[]){ named("b", "x"), named("a", "y"),
					     numbered("a", 1) },
			   3);
	CHECK(first);
	CHECK_EQ(labels_add(&table,
			    (struct label[]){ numbered("a", 1), named("a", "y"),
					      named("b", "x") },
			    3),
		 first);
	CHECK(labels_add(&table,
			 (struct label[]){ named("a", "y"), named("b", "x") },
			 2) != first);
}

/* In the worst order, and many of each key, to see that those keep theirs. */
static void check_order(uint32_t count)
{
	struct label *labels;
	labels_id id;
	char key[32];

	begin();
	labels = ARENA_ARRAY(&arena, struct label, count);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "key %06u", (count - i) / 3);
		labels[i] = numbered(key, i);
		labels[i].numeric = i % 2;
	}
	id = labels_add(&table, labels, count);
	CHECK(id);
	labels = table.labels.at + table.sets.at[id].first;
	for (uint32_t i = 1; i < count; i++) {
		const struct label *a = &labels[i - 1];
		const struct label *b = &labels[i];
		int order = str_compare(&strings, a->key, b->key);

		CHECK(a->numeric <= b->numeric);
		if (a->numeric == b->numeric)
			CHECK(order < 0 ||
			      (order == 0 && a->number < b->number));
	}
}

TEST(sets_of_any_size_are_in_order)
{
	check_order(2);
	check_order(10);
	check_order(32);
	check_order(33);
	check_order(1000);
}

TEST(a_hostile_set_is_put_in_order_before_long)
{
	check_order(200000);
}
