/* SPDX-License-Identifier: MIT */
/*
 * tagroot and tagleaf: the values of labels become frames, at the root or at
 * the leaf of every stack, so that reports group by them.  The function of such
 * a frame is called by the value, its file by the label's key.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/sink.h"
#include "profile/derive.h"
#include "profile/graft.h"
#include "profile/number.h"
#include "report/context.h"
#include "report/filter.h"

/* Of one end of the stacks. */
struct key_list {
	VEC(str_id) keys;
	bool matched;		    /* some sample has one of them */
	VEC(struct graft_run) runs; /* the different ones */
	struct table index;	    /* of them, + 1 */
	uint32_t *run_of;	    /* by labels_id */
};

struct pseudo_frames {
	struct report_context *c;
	struct profile *p;
	uint64_t next_function; /* ids behind all that there are */
	uint64_t next_location;
	struct table index;   /* (name, key) -> location */
	VEC(frame_id) frames; /* of all runs */
	struct key_list root;
	struct key_list leaf;
};

static bool parse_keys(struct pseudo_frames *x, struct key_list *list,
		       const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, ",");

		if (len) {
			str_id *key = VEC_PUSH(&list->keys, x->c->arena);

			if (!key)
				return false;
			*key = strtab_add(x->p->strings, text, len);
		}
		text += len + (text[len] == ',');
	}
	return true;
}

static bool has_unit(const struct label *l, uint32_t count, str_id key)
{
	for (uint32_t i = 0; i < count; i++)
		if (l[i].numeric && l[i].key == key && l[i].unit)
			return true;
	return false;
}

static struct span label_value(const struct pseudo_frames *x,
			       const struct label *l, bool with_unit)
{
	const struct strtab *s = x->p->strings;

	if (!l->numeric)
		return str_span(s, l->text);
	return span_text(number_label(x->c->arena, l->number,
				      with_unit ? str_text(s, l->unit) : "",
				      with_unit ? x->c->view.unit : ""));
}

/* The values of a key, joined by commas; *ret_any: there are some. */
static str_id joined_values(struct pseudo_frames *x, labels_id set, str_id key,
			    bool *ret_any)
{
	struct sink text = sink_to_memory(x->c->arena);
	uint32_t count;
	const struct label *l = labels_get(&x->p->label_sets, set, &count);
	bool with_unit = has_unit(l, count, key);
	bool first = true;

	for (uint32_t i = 0; i < count; i++) {
		if (l[i].key != key)
			continue;
		if (!first)
			sink_char(&text, ',');
		sink_span(&text, label_value(x, &l[i], with_unit));
		first = false;
	}
	*ret_any |= !first;
	return strtab_add_span(x->p->strings, sink_bytes(&text));
}

static location_id add_frame(struct pseudo_frames *x, str_id name, str_id key)
{
	struct line line = { 0 };
	struct location l = { .id = x->next_location++ };

	line.function = profile_add_function(
		x->p, (struct function){ .id = x->next_function++,
					 .name = name,
					 .file = key });
	return line.function ? profile_add_location(x->p, l, &line, 1) : 0;
}

static location_id get_frame(struct pseudo_frames *x, str_id name, str_id key)
{
	uint32_t hash = hash_pair(name, key);
	uint32_t i = table_start(&x->index, hash);
	location_id id;

	for (; (id = table_id(&x->index, i, hash)) != TABLE_END;
	     i = table_next(&x->index, i)) {
		const struct location *l = &x->p->locations.at[id];
		const struct function *f;

		if (!id)
			continue;
		f = &x->p->functions.at[location_lines(x->p, l)->function];
		if (f->name == name && f->file == key)
			return id;
	}
	id = add_frame(x, name, key);
	if (id && !table_add(&x->index, x->c->arena, hash, id))
		return 0;
	return id;
}

/* The frames of the keys behind those of all runs.  They are numbered as they
 * are met, from the last key to the first. */
static bool add_keys(struct pseudo_frames *x, struct key_list *list,
		     labels_id set)
{
	uint32_t count = list->keys.count;

	if (!VEC_RESERVE(&x->frames, x->c->arena, count))
		return false;
	for (uint32_t i = count; i-- > 0;) {
		str_id key = list->keys.at[i];
		str_id name = joined_values(x, set, key, &list->matched);
		frame_id frame = get_frame(x, name, key);

		if (!frame)
			return false;
		x->frames.at[x->frames.count + i] = frame;
	}
	return true;
}

/* The number of the run that add_keys() has left; -1: out of memory. */
static int64_t get_run(struct pseudo_frames *x, struct key_list *list)
{
	const frame_id *frames = x->frames.at + x->frames.count;
	uint32_t count = list->keys.count;
	size_t size = count * sizeof(*frames);
	uint32_t hash = hash_bytes(frames, size);
	uint32_t i = table_start(&list->index, hash);
	struct graft_run *run;
	uint32_t id;

	for (; (id = table_id(&list->index, i, hash)) != TABLE_END;
	     i = table_next(&list->index, i))
		if (id && memcmp(x->frames.at + list->runs.at[id - 1].first,
				 frames, size) == 0)
			return id - 1;
	run = VEC_PUSH(&list->runs, x->c->arena);
	if (!run ||
	    !table_add(&list->index, x->c->arena, hash, list->runs.count))
		return -1;
	*run = (struct graft_run){ x->frames.count, count };
	x->frames.count += count;
	return list->runs.count - 1;
}

static bool find_run(struct pseudo_frames *x, struct key_list *list,
		     labels_id set)
{
	int64_t run = add_keys(x, list, set) ? get_run(x, list) : -1;

	list->run_of[set] = (uint32_t)run;
	return run >= 0;
}

/* Frames are numbered in this order, roots before leaves. */
static int find_runs(struct pseudo_frames *x)
{
	struct arena *arena = x->c->arena;
	const struct profile *p = x->p;
	uint32_t sets = p->label_sets.sets.count;
	bool *found = ARENA_ARRAY(arena, bool, sets);

	x->root.run_of = ARENA_ARRAY(arena, uint32_t, sets);
	x->leaf.run_of = ARENA_ARRAY(arena, uint32_t, sets);
	/* Where a run of no frames is, there is memory as well. */
	if (arena->failed || !VEC_RESERVE(&x->frames, arena, 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		labels_id set = p->labels[i];

		if (found[set])
			continue;
		found[set] = true;
		if (!find_run(x, &x->root, set) || !find_run(x, &x->leaf, set))
			return -ENOMEM;
	}
	return 0;
}

static int rewrite(struct pseudo_frames *x)
{
	int r = find_runs(x);
	const struct graft graft = {
		.frames = x->frames.at,
		.frame_count = x->frames.count,
		.roots = x->root.runs.at,
		.leaves = x->leaf.runs.at,
		.root_count = x->root.runs.count,
		.leaf_count = x->leaf.runs.count,
		.root_of = x->root.run_of,
		.leaf_of = x->leaf.run_of,
	};

	return r < 0 ? r : graft_stacks(x->p, &graft);
}

static void find_next_ids(struct pseudo_frames *x)
{
	for (uint32_t i = 1; i < x->p->functions.count; i++)
		if (x->p->functions.at[i].id > x->next_function)
			x->next_function = x->p->functions.at[i].id;
	for (uint32_t i = 1; i < x->p->locations.count; i++)
		if (x->p->locations.at[i].id > x->next_location)
			x->next_location = x->p->locations.at[i].id;
	x->next_function++;
	x->next_location++;
}

static int run(struct pseudo_frames *x)
{
	if (!parse_keys(x, &x->root, x->c->view.tagroot) ||
	    !parse_keys(x, &x->leaf, x->c->view.tagleaf))
		return -ENOMEM;
	if (!x->root.keys.count && !x->leaf.keys.count)
		return 0;
	if (profile_own_functions(x->p) < 0 || profile_own_locations(x->p) < 0)
		return -ENOMEM;
	find_next_ids(x);
	return rewrite(x);
}

int tagroot_apply(struct report_context *c, struct error *err)
{
	struct pseudo_frames x = { .c = c, .p = &c->profile };
	const struct view *v = &c->view;
	int r = run(&x);

	if (r < 0)
		return error_set(err, r, "out of memory");
	if (v->tagroot && *v->tagroot && !x.root.matched)
		context_say(c, "TagRoot expression matched no samples");
	if (v->tagleaf && *v->tagleaf && !x.leaf.matched)
		context_say(c, "TagLeaf expression matched no samples");
	return 0;
}
