/* SPDX-License-Identifier: MIT */
/* Flame graphs as a whole: what goes in, and what is written of it. */
#include "export/flame.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "export/pair.h"
#include "folded.h"
#include "format/folded.h"
#include "picture/flame_colour.h"
#include "report/view.h"
#include "test.h"

static struct arena arena;
static struct error err;

/* What flame_write() writes, or NULL if it fails. */
static const char *flame(const struct profile *p, struct flame_options options)
{
	struct view view = { 0 };
	struct sink out = sink_to_memory(&arena);

	err = (struct error){ 0 };
	view_fill_defaults(&view);
	if (flame_write(p, &view, &options, &out, NULL, &err) < 0)
		return NULL;
	sink_char(&out, '\0');
	return out.buf;
}

static void give_label(struct profile *p, uint32_t sample, const char *key,
		       const char *value)
{
	struct label label = {
		.key = strtab_add_text(p->strings, key),
		.text = strtab_add_text(p->strings, value),
	};

	p->labels[sample] = labels_add(&p->label_sets, &label, 1);
}

TEST(threads_are_boxes_if_the_profile_tells_them)
{
	struct profile p = folded(&arena, "main;a 1\nmain;a 2\nmain;b 3\n");
	const struct flame_options options = { .form = FLAME_FOLDED,
					       .per_thread = true };

	CHECK(!flame(&p, options));
	CHECK_STR(err.text,
		  "the profile does not say which thread its samples are of");
	give_label(&p, 0, "thread", "io");
	give_label(&p, 1, "thread", "worker");
	give_label(&p, 2, "thread", "worker");
	CHECK_STR(flame(&p, options),
		  "io;main;a 1\nworker;main;a 2\nworker;main;b 3\n");
}

TEST(two_profiles_become_one_with_two_values)
{
	struct profile before = folded(&arena, "main;a 1\nmain;gone 2\n");
	struct profile after = folded(&arena, "main;a 10\nmain;fresh 20\n");
	struct profile p;

	CHECK_EQ(profile_pair(&p, &arena,
			      (struct profile *[]){ &before, &after }, NULL,
			      &err),
		 0);
	CHECK(folded_is_pair(&p));
	CHECK_STR(flame(&p, (struct flame_options){ .form = FLAME_FOLDED,
						    .compare = true }),
		  "main;a 1 10\nmain;gone 2 0\nmain;fresh 0 20\n");
}

TEST(samples_are_what_the_first_type_counts)
{
	struct profile p = folded(&arena, "main;a 10\nmain;b 20\n");

	CHECK_EQ(profile_samples(&p), 30);
	p.types.at[0].unit = strtab_add_text(p.strings, "bytes");
	CHECK_EQ(profile_samples(&p), 2);
}

TEST(a_profile_without_values_is_refused)
{
	struct profile p = folded(&arena, "main;a 0\n");

	CHECK(!flame(&p, (struct flame_options){ 0 }));
	CHECK_STR(err.text,
		  "there is nothing to draw: no value of 'samples' is above 0");
}

TEST(a_million_boxes_are_less_than_two_megabytes)
{
	struct profile p = folded(&arena, "main 1\n");
	frame_id frames[3] = { 1 };
	const char *svg;
	char name[64];

	for (int i = 0; i < 1000; i++) {
		fmt_text(name, sizeof(name), "a_function_with_a_name_%d", i);
		folded_location(&p, name, strlen(name));
	}
	for (uint32_t i = 0; i < 1000000; i++) {
		frames[1] = 2 + i % 1000;
		frames[2] = 2 + i / 1000;
		*profile_add_sample(&p, stack_add(&p.stacks, 0, frames, 3),
				    0) = 1;
	}
	svg = flame(&p, (struct flame_options){ 0 });
	CHECK(svg);
	CHECK(strlen(svg) < 2000000);
	CHECK(strlen(svg) > 100000);
}

TEST(a_name_has_the_same_colour_always)
{
	struct colour a = flame_colour(0, FLAME_PROGRAM, span_text("main"));
	struct colour b = flame_colour(0, FLAME_PROGRAM, span_text("main"));
	struct colour c = flame_colour(0, FLAME_KERNEL, span_text("main"));

	CHECK_BYTES(&a, sizeof(a), &b, sizeof(b));
	CHECK(memcmp(&a, &c, sizeof(a)) != 0);
}

TEST(growth_is_red_and_less_is_blue)
{
	struct colour more = flame_change_colour(0.1, 0.2);
	struct colour less = flame_change_colour(0.2, 0.1);
	struct colour same = flame_change_colour(0.2, 0.2);

	CHECK(more.part[0] > more.part[2]);
	CHECK(less.part[2] > less.part[0]);
	CHECK(same.part[0] - same.part[2] < 10);
}
