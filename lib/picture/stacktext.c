/* SPDX-License-Identifier: MIT */
/* See stacktext.h. */
#include "picture/stacktext.h"

#include <errno.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "profile/profile.h"

/* The frames of one stack after the other. */
struct walker {
	const struct profile *profile;
	struct arena *arena;
	frame_id *frames; /* leaf first */
	uint32_t room;
	uint32_t depth;
};

static int walk(struct walker *w, stack_id stack)
{
	const struct stacktab *t = &w->profile->stacks;

	w->depth = stack_depth(t, stack);
	if (w->depth > w->room) {
		w->frames = ARENA_ARRAY(w->arena, frame_id, w->depth);
		w->room = w->frames ? w->depth : 0;
	}
	if (w->depth > w->room)
		return -ENOMEM;
	stack_frames(t, stack, w->frames, w->depth);
	return 0;
}

static void put_place(struct sink *out, const struct profile *p,
		      const struct line *line)
{
	str_id file = p->functions.at[line->function].file;

	if (!file)
		return;
	sink_clean(out, str_span(p->strings, file));
	if (line->line)
		sink_format(out, ":%lld", (long long)line->line);
}

static void put_name(struct sink *out, const struct profile *p,
		     const struct line *line)
{
	sink_clean(out,
		   str_span(p->strings, p->functions.at[line->function].name));
}

/* Where a location without a name is: in which file, at least. */
static void put_nameless(struct sink *out, const struct profile *p,
			 const struct location *l)
{
	str_id file = p->mappings.at[l->mapping].file;

	sink_text(out, "?");
	if (file) {
		sink_text(out, " in ");
		sink_clean(out, str_span(p->strings, file));
	}
}

static void put_counted_frame(struct sink *out, const struct profile *p,
			      const struct location *l)
{
	const struct line *lines = location_lines(p, l);

	if (!lines) {
		sink_format(out, "#\t0x%llx\t", (unsigned long long)l->address);
		put_nameless(out, p, l);
		sink_char(out, '\n');
	}
	for (uint32_t i = 0; i < l->line_count; i++) {
		sink_format(out, "#\t0x%llx\t", (unsigned long long)l->address);
		put_name(out, p, &lines[i]);
		sink_char(out, '\t');
		put_place(out, p, &lines[i]);
		sink_char(out, '\n');
	}
}

static void put_counted(struct sink *out, const struct walker *w, int64_t count)
{
	const struct profile *p = w->profile;

	sink_format(out, "%lld @", (long long)count);
	for (uint32_t i = 0; i < w->depth; i++) {
		const struct location *l = &p->locations.at[w->frames[i]];

		sink_format(out, " 0x%llx", (unsigned long long)l->address);
	}
	sink_char(out, '\n');
	for (uint32_t i = 0; i < w->depth; i++)
		put_counted_frame(out, p, &p->locations.at[w->frames[i]]);
	sink_char(out, '\n');
}

static bool more_first(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *sum = context;

	return sum[a] != sum[b] ? sum[a] > sum[b] : a < b;
}

int stacktext_counts(const struct profile *p, uint32_t type, const char *name,
		     struct sink *out, struct arena *arena)
{
	struct walker w = { .profile = p, .arena = arena };
	uint32_t stacks = p->stacks.nodes.count;
	int64_t *sum = ARENA_ARRAY(arena, int64_t, stacks);
	uint32_t *ids = ARENA_ARRAY(arena, uint32_t, 2 * (size_t)stacks);
	int64_t total = 0;
	int r = sum && ids ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		sum[p->stack[i]] += profile_values(p, i)[type];
		total += profile_values(p, i)[type];
	}
	for (uint32_t i = 0; i < stacks; i++)
		ids[i] = i;
	sort_ids(ids, ids + stacks, stacks, more_first, sum);
	sink_format(out, "%s profile: total %lld\n", name, (long long)total);
	for (uint32_t i = 0; i < stacks && sum[ids[i]] > 0 && r == 0; i++) {
		r = walk(&w, ids[i]);
		if (r == 0)
			put_counted(out, &w, sum[ids[i]]);
	}
	return r;
}

static void put_frame(struct sink *out, const struct profile *p,
		      const struct location *l)
{
	const struct line *lines = location_lines(p, l);

	if (!lines) {
		put_nameless(out, p, l);
		sink_format(out, "\n\t0x%llx\n",
			    (unsigned long long)l->address);
	}
	for (uint32_t i = 0; i < l->line_count; i++) {
		put_name(out, p, &lines[i]);
		if (i + 1 < l->line_count)
			sink_text(out, " (inline)");
		sink_text(out, "\n\t");
		put_place(out, p, &lines[i]);
		sink_format(out, " 0x%llx\n", (unsigned long long)l->address);
	}
}

static const struct label *find_label(const struct profile *p, uint32_t sample,
				      const char *key)
{
	str_id id = strtab_find(p->strings, key, strlen(key));
	uint32_t count;
	const struct label *l = labels_get(&p->label_sets, p->labels[sample],
					   &count);

	for (uint32_t i = 0; i < count; i++)
		if (l[i].key == id)
			return &l[i];
	return NULL;
}

/* thread 123 "name": */
static void put_whose(struct sink *out, const struct profile *p,
		      uint32_t sample)
{
	const struct label *tid = find_label(p, sample, "tid");
	const struct label *name = find_label(p, sample, "thread");

	sink_text(out, "thread");
	if (tid && tid->numeric)
		sink_format(out, " %lld", (long long)tid->number);
	else if (tid)
		sink_format(out, " %s", profile_text(p, tid->text));
	if (name && !name->numeric) {
		sink_text(out, " \"");
		sink_clean(out, str_span(p->strings, name->text));
		sink_char(out, '"');
	}
	sink_text(out, ":\n");
}

int stacktext_threads(const struct profile *p, struct sink *out,
		      struct arena *arena)
{
	struct walker w = { .profile = p, .arena = arena };

	for (uint32_t s = 0; s < p->sample_count; s++) {
		int r = walk(&w, p->stack[s]);

		if (r < 0)
			return r;
		put_whose(out, p, s);
		for (uint32_t i = 0; i < w.depth; i++)
			put_frame(out, p, &p->locations.at[w.frames[i]]);
		sink_char(out, '\n');
	}
	return 0;
}
