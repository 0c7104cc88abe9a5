/* SPDX-License-Identifier: MIT */
/*
 * Small profiles for tests, written as folded stacks:
 *
 *	struct profile p = folded(&arena, "main;read 3\nmain;parse;read 4\n");
 *
 * One type (samples/count); each function is a location of its own in file
 * "<name>.c", at line 10 and an address that follows from its
 * name.
 */
#ifndef WICK_TEST_FOLDED_H
#define WICK_TEST_FOLDED_H

#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/hash.h"
#include "profile/profile.h"
#include "test.h"

static inline location_id folded_location(struct profile *p, const char *name,
					  size_t len)
{
	str_id id = strtab_add(p->strings, name, len);
	char file[64];
	struct line line = { .line = 10 };
	struct location l = { .id = p->locations.count,
			      .address = 0x1000 +
					 hash_bytes(name, len) % 0xf0000,
			      .mapping = 1 };

	for (uint32_t i = 1; i < p->functions.count; i++)
		if (p->functions.at[i].name == id)
			return i;
	fmt_text(file, sizeof(file), "%.*s.c", (int)len, name);
	line.function = profile_add_function(
		p,
		(struct function){ .id = p->functions.count,
				   .name = id,
				   .system_name = id,
				   .file = strtab_add_text(p->strings, file) });
	return profile_add_location(p, l, &line, 1);
}

/* Locations of functions f0, f1 and so on. */
static inline void folded_functions(struct profile *p, location_id *ret,
				    unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char name[16];
		size_t len = fmt_text(name, sizeof(name), "f%u", i);

		ret[i] = folded_location(p, name, len);
	}
}

static inline void folded_line(struct profile *p, const char *text)
{
	frame_id frames[1024];
	uint32_t depth = 0;
	const char *space = strchr(text, ' ');

	while (text < space) {
		size_t len = strcspn(text, "; ");

		CHECK(depth < sizeof(frames) / sizeof(*frames));
		frames[depth++] = folded_location(p, text, len);
		text += len + 1;
	}
	*profile_add_sample(p, stack_add(&p->stacks, 0, frames, depth),
			    0) = atoll(space + 1);
}

static inline struct profile folded(struct arena *arena, const char *text)
{
	struct profile p;
	struct value_type *type;

	CHECK_EQ(profile_init(&p, arena), 0);
	type = VEC_PUSH(&p.types, arena);
	type->type = strtab_add_text(p.strings, "samples");
	type->unit = strtab_add_text(p.strings, "count");
	profile_add_mapping(
		&p, (struct mapping){
			    .id = 1,
			    .start = 0x1000,
			    .limit = 0x100000,
			    .file = strtab_add_text(p.strings, "/bin/prog") });
	for (; *text; text = strchr(text, '\n') + 1)
		folded_line(&p, text);
	return p;
}

/* The stacks and values of p in the same form, in arena's memory. */
static inline const char *unfolded(const struct profile *p)
{
	char *text = arena_alloc(p->arena, 4096);
	size_t len = 0;

	for (uint32_t i = 0; i < p->sample_count; i++) {
		frame_id frames[1024];
		uint32_t depth = stack_frames(&p->stacks, p->stack[i], frames,
					      64);

		while (depth-- > 0) {
			const struct location *l =
				&p->locations.at[frames[depth]];
			function_id f = location_lines(p, l)->function;

			len += fmt_text(
				text + len, 4096 - len, "%s%s",
				profile_text(p, p->functions.at[f].name),
				depth ? ";" : "");
		}
		len += fmt_text(text + len, 4096 - len, " %lld\n",
				(long long)profile_values(p, i)[0]);
	}
	return text;
}

#endif /* WICK_TEST_FOLDED_H */
