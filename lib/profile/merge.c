/* SPDX-License-Identifier: MIT */
/*
 * Merging.  Each profile's rows are mapped to rows of the result once and
 * remembered by index; equality is a matter of ids throughout, since strings,
 * stacks and label sets of the result are interned.
 */
#include "profile/merge.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "profile/profile.h"

struct merger {
	struct profile *out;
	struct arena *scratch;
	struct table mappings;
	struct table functions;
	struct table locations;
	struct table samples; /* (stack, labels) -> sample + 1 */

	/* Of the profile being added: its rows' places in out; 0: not yet. */
	const struct profile *in;
	str_id *string; /* + 1 */
	mapping_id *mapping;
	function_id *function;
	location_id *location;
	stack_id *stack;    /* + 1 */
	labels_id *labels;  /* + 1 */
	VEC(stack_id) path; /* stacks on the way to one, not mapped yet */
	VEC(frame_id) frames;
	VEC(struct line) lines;
	VEC(struct label) label_buffer;
};

static str_id map_string(struct merger *m, str_id id)
{
	if (!m->string[id])
		m->string[id] = 1 +
				strtab_add_span(m->out->strings,
						str_span(m->in->strings, id));
	return m->string[id] - 1;
}

/* What makes mappings of different processes the same. */
struct mapping_key {
	uint64_t size;
	uint64_t offset;
	str_id identity; /* the build id, else the file */
};

static struct mapping_key mapping_key(const struct mapping *m)
{
	const uint64_t rounding = 0xfff;

	return (struct mapping_key){
		.size = (m->limit - m->start + rounding) & ~rounding,
		.offset = m->offset,
		.identity = m->build_id ? m->build_id : m->file,
	};
}

static mapping_id find_mapping(struct merger *m, uint32_t hash,
			       const struct mapping_key *key)
{
	uint32_t i = table_start(&m->mappings, hash);
	uint32_t id;

	for (; (id = table_id(&m->mappings, i, hash)) != TABLE_END;
	     i = table_next(&m->mappings, i)) {
		struct mapping_key k = mapping_key(&m->out->mappings.at[id]);

		if (id && k.size == key->size && k.offset == key->offset &&
		    k.identity == key->identity)
			return id;
	}
	return 0;
}

static mapping_id map_mapping(struct merger *m, mapping_id id)
{
	struct mapping row = m->in->mappings.at[id];
	struct mapping_key key;
	uint32_t hash;

	if (!id || m->mapping[id])
		return m->mapping[id];
	row.file = map_string(m, row.file);
	row.build_id = map_string(m, row.build_id);
	row.kernel_symbol = map_string(m, row.kernel_symbol);
	row.id = m->out->mappings.count;
	key = mapping_key(&row);
	hash = hash_u64(hash_mix(key.size, key.offset) ^ key.identity);

	m->mapping[id] = find_mapping(m, hash, &key);
	if (!m->mapping[id]) {
		m->mapping[id] = profile_add_mapping(m->out, row);
		if (m->mapping[id] &&
		    !table_add(&m->mappings, m->scratch, hash, m->mapping[id]))
			m->out->arena->failed = true;
	}
	return m->mapping[id];
}

static bool function_equal(const struct function *a, const struct function *b)
{
	return a->name == b->name && a->system_name == b->system_name &&
	       a->file == b->file && a->start_line == b->start_line;
}

static function_id map_function(struct merger *m, function_id id)
{
	struct function row = m->in->functions.at[id];
	uint32_t hash, i, found;

	if (!id || m->function[id])
		return m->function[id];
	row.name = map_string(m, row.name);
	row.system_name = map_string(m, row.system_name);
	row.file = map_string(m, row.file);
	row.id = m->out->functions.count;
	hash = hash_u64(hash_mix((uint64_t)row.name << 32 | row.file,
				 (uint64_t)row.start_line) ^
			row.system_name);
	for (i = table_start(&m->functions, hash);
	     (found = table_id(&m->functions, i, hash)) != TABLE_END;
	     i = table_next(&m->functions, i))
		if (found && function_equal(&m->out->functions.at[found], &row))
			return m->function[id] = found;

	m->function[id] = profile_add_function(m->out, row);
	if (m->function[id] &&
	    !table_add(&m->functions, m->scratch, hash, m->function[id]))
		m->out->arena->failed = true;
	return m->function[id];
}

static uint64_t relative_address(const struct profile *p,
				 const struct location *l)
{
	return l->address - (l->mapping ? p->mappings.at[l->mapping].start : 0);
}

/*
 * Only the last line's column tells locations apart, and that of a single
 * line: this is pprof's key, and its users' diffs depend on it.
 */
static uint32_t location_hash(const struct profile *p, const struct location *l,
			      const struct line *lines, uint32_t count)
{
	uint64_t h = relative_address(p, l) ^ (uint64_t)l->mapping << 48;

	for (uint32_t i = 0; i < count; i++)
		h = hash_mix(h, (uint64_t)lines[i].function << 32 ^
					(uint64_t)lines[i].line);
	if (count)
		h = hash_mix(h, (uint64_t)lines[count - 1].column);
	return hash_u64(h ^ l->folded);
}

static bool location_equal(const struct profile *p, const struct location *a,
			   const struct location *b, const struct line *lines,
			   uint32_t count)
{
	const struct line *own = location_lines(p, a);

	if (a->mapping != b->mapping || a->folded != b->folded ||
	    a->line_count != count ||
	    relative_address(p, a) != relative_address(p, b))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (own[i].function != lines[i].function ||
		    own[i].line != lines[i].line)
			return false;
	return !count || own[count - 1].column == lines[count - 1].column;
}

/* Puts the lines of a location, mapped, into m->lines. */
static bool map_lines(struct merger *m, const struct location *l)
{
	const struct line *lines = location_lines(m->in, l);

	m->lines.count = 0;
	if (!VEC_RESERVE(&m->lines, m->scratch, l->line_count))
		return false;
	for (uint32_t i = 0; i < l->line_count; i++) {
		m->lines.at[i] = lines[i];
		m->lines.at[i].function = map_function(m, lines[i].function);
	}
	m->lines.count = l->line_count;
	return true;
}

static location_id add_location(struct merger *m, const struct location *row)
{
	uint32_t count = m->lines.count;
	uint32_t hash = location_hash(m->out, row, m->lines.at, count);
	uint32_t i = table_start(&m->locations, hash);
	location_id id;

	for (; (id = table_id(&m->locations, i, hash)) != TABLE_END;
	     i = table_next(&m->locations, i))
		if (id && location_equal(m->out, &m->out->locations.at[id], row,
					 m->lines.at, count))
			return id;
	id = profile_add_location(m->out, *row, m->lines.at, count);
	if (id && !table_add(&m->locations, m->scratch, hash, id))
		m->out->arena->failed = true;
	return id;
}

static void map_location(struct merger *m, location_id id)
{
	struct location row = m->in->locations.at[id];
	mapping_id from = row.mapping;

	row.mapping = map_mapping(m, from);
	if (from)
		row.address += m->out->mappings.at[row.mapping].start -
			       m->in->mappings.at[from].start;
	if (!map_lines(m, &row))
		return;
	row.id = m->out->locations.count;
	m->location[id] = add_location(m, &row);
}

/* Ids are given in the order of first use, and samples begin at the leaf. */
static void map_run_locations(struct merger *m, const struct stack_node *n)
{
	const frame_id *frames = m->in->stacks.frames.at + n->first;

	for (uint32_t i = n->length; i-- > 0;)
		if (!m->location[frames[i]])
			map_location(m, frames[i]);
}

/* The run of a node below caller, which is a stack of out. */
static stack_id map_run(struct merger *m, stack_id caller,
			const struct stack_node *n)
{
	const frame_id *frames = m->in->stacks.frames.at + n->first;

	if (!VEC_RESERVE(&m->frames, m->scratch, n->length))
		return 0;
	for (uint32_t i = 0; i < n->length; i++)
		m->frames.at[i] = m->location[frames[i]];
	return stack_add(&m->out->stacks, caller, m->frames.at, n->length);
}

/* Goes up to what is known, and comes back with the rest: each node of the tree
 * is mapped once, however many stacks continue it. */
static stack_id map_stack(struct merger *m, stack_id id)
{
	const struct stack_node *nodes = m->in->stacks.nodes.at;
	stack_id mapped;

	m->stack[0] = 1;
	for (m->path.count = 0; !m->stack[id]; id = nodes[id].parent) {
		stack_id *missing = VEC_PUSH(&m->path, m->scratch);

		if (!missing)
			return 0;
		*missing = id;
		map_run_locations(m, &nodes[id]);
	}
	mapped = m->stack[id] - 1;
	while (m->path.count) {
		id = m->path.at[--m->path.count];
		mapped = map_run(m, mapped, &nodes[id]);
		m->stack[id] = mapped + 1;
	}
	return mapped;
}

static labels_id map_labels(struct merger *m, labels_id id)
{
	uint32_t count;
	const struct label *l = labels_get(&m->in->label_sets, id, &count);

	if (m->labels[id])
		return m->labels[id] - 1;
	if (!VEC_RESERVE(&m->label_buffer, m->scratch, count))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		m->label_buffer.at[i] = l[i];
		m->label_buffer.at[i].key = map_string(m, l[i].key);
		m->label_buffer.at[i].text = map_string(m, l[i].text);
		m->label_buffer.at[i].unit = map_string(m, l[i].unit);
	}
	m->labels[id] = 1 + labels_add(&m->out->label_sets, m->label_buffer.at,
				       count);
	return m->labels[id] - 1;
}

static bool is_zero(const struct profile *p, uint32_t sample)
{
	const int64_t *v = profile_values(p, sample);

	for (uint32_t t = 0; t < p->types.count; t++)
		if (v[t])
			return false;
	return true;
}

/* The values of the sample with that stack and labels, made if need be. */
static int64_t *get_sample(struct merger *m, stack_id stack, labels_id labels)
{
	uint32_t hash = hash_pair(stack, labels);
	uint32_t i = table_start(&m->samples, hash);
	int64_t *values;
	uint32_t id;

	for (; (id = table_id(&m->samples, i, hash)) != TABLE_END;
	     i = table_next(&m->samples, i))
		if (id && m->out->stack[id - 1] == stack &&
		    m->out->labels[id - 1] == labels)
			return profile_values(m->out, id - 1);
	values = profile_add_sample(m->out, stack, labels);
	if (values &&
	    !table_add(&m->samples, m->scratch, hash, m->out->sample_count))
		return NULL;
	return values;
}

static int add_samples(struct merger *m)
{
	const struct profile *in = m->in;

	for (uint32_t i = 0; i < in->sample_count; i++) {
		const int64_t *from = profile_values(in, i);
		int64_t *to;

		if (is_zero(in, i))
			continue;
		to = get_sample(m, map_stack(m, in->stack[i]),
				map_labels(m, in->labels[i]));
		if (!to || m->out->arena->failed || m->scratch->failed)
			return -ENOMEM;
		for (uint32_t t = 0; t < in->types.count; t++)
			to[t] = (int64_t)((uint64_t)to[t] + (uint64_t)from[t]);
	}
	return 0;
}

static int begin_profile(struct merger *m, const struct profile *in)
{
	struct arena *a = m->scratch;

	m->in = in;
	m->string = ARENA_ARRAY(a, str_id, in->strings->strings.count);
	m->mapping = ARENA_ARRAY(a, mapping_id, in->mappings.count);
	m->function = ARENA_ARRAY(a, function_id, in->functions.count);
	m->location = ARENA_ARRAY(a, location_id, in->locations.count);
	m->stack = ARENA_ARRAY(a, stack_id, in->stacks.nodes.count);
	m->labels = ARENA_ARRAY(a, labels_id, in->label_sets.sets.count);
	return a->failed ? -ENOMEM : 0;
}

static struct value_type map_type(struct merger *m, struct value_type t)
{
	return (struct value_type){ map_string(m, t.type),
				    map_string(m, t.unit) };
}

static void add_comments(struct merger *m)
{
	struct profile *out = m->out;

	for (uint32_t i = 0; i < m->in->comments.count; i++) {
		str_id comment = map_string(m, m->in->comments.at[i]);
		bool seen = false;
		str_id *row;

		for (uint32_t j = 0; j < out->comments.count; j++)
			seen |= out->comments.at[j] == comment;
		if (seen)
			continue;
		row = VEC_PUSH(&out->comments, out->arena);
		if (row)
			*row = comment;
	}
}

static void add_header(struct merger *m, bool first)
{
	const struct profile_header *in = &m->in->header;
	struct profile_header *out = &m->out->header;

	if (first) {
		out->period_type = map_type(m, in->period_type);
		out->drop_frames = map_string(m, in->drop_frames);
		out->keep_frames = map_string(m, in->keep_frames);
	}
	if (!out->time_nanos || in->time_nanos < out->time_nanos)
		out->time_nanos = in->time_nanos;
	out->duration_nanos = (int64_t)((uint64_t)out->duration_nanos +
					(uint64_t)in->duration_nanos);
	if (!out->period || out->period < in->period)
		out->period = in->period;
	if (!out->default_type)
		out->default_type = map_string(m, in->default_type);
	if (!out->doc_url)
		out->doc_url = map_string(m, in->doc_url);
	loss_add(&m->out->loss, &m->in->loss);
	add_comments(m);
}

static int add_types(struct merger *m)
{
	for (uint32_t t = 0; t < m->in->types.count; t++) {
		struct value_type *row = VEC_PUSH(&m->out->types,
						  m->out->arena);

		if (!row)
			return -ENOMEM;
		*row = map_type(m, m->in->types.at[t]);
	}
	return 0;
}

static int add_profile(struct merger *m, const struct profile *in, bool first)
{
	int r = begin_profile(m, in);

	if (r == 0 && first)
		r = add_types(m);
	if (r < 0)
		return r;
	add_header(m, first);
	/* The program itself stays the first mapping. */
	if (m->out->mappings.count == 1 && in->mappings.count > 1)
		map_mapping(m, 1);
	return add_samples(m);
}

static bool any_zero(const struct profile *p)
{
	for (uint32_t i = 0; i < p->sample_count; i++)
		if (is_zero(p, i))
			return true;
	return false;
}

static bool type_equal(const struct profile *a, struct value_type x,
		       const struct profile *b, struct value_type y)
{
	return !strcmp(profile_text(a, x.type), profile_text(b, y.type)) &&
	       !strcmp(profile_text(a, x.unit), profile_text(b, y.unit));
}

int profile_mergeable(const struct profile *a, const struct profile *b,
		      struct error *err)
{
	struct value_type x = a->header.period_type;
	struct value_type y = b->header.period_type;

	if (!type_equal(a, x, b, y))
		return error_set(
			err, -EINVAL,
			"incompatible period types %s/%s and %s/%s",
			profile_text(a, x.type), profile_text(a, x.unit),
			profile_text(b, y.type), profile_text(b, y.unit));
	if (a->types.count != b->types.count)
		return error_set(err, -EINVAL,
				 "incompatible sample types: %u and %u of them",
				 a->types.count, b->types.count);
	for (uint32_t t = 0; t < a->types.count; t++) {
		x = a->types.at[t];
		y = b->types.at[t];
		if (!type_equal(a, x, b, y))
			return error_set(
				err, -EINVAL,
				"incompatible sample types %s/%s and %s/%s",
				profile_text(a, x.type),
				profile_text(a, x.unit),
				profile_text(b, y.type),
				profile_text(b, y.unit));
	}
	return 0;
}

int profile_merge(struct profile *out, const struct profile *const *profiles,
		  unsigned count, struct error *err)
{
	struct arena scratch = { 0 };
	struct merger m = { .out = out, .scratch = &scratch };
	struct profile again;
	int r = 0;

	for (unsigned i = 1; i < count && r == 0; i++)
		r = profile_mergeable(profiles[0], profiles[i], err);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < count && r == 0; i++)
		r = add_profile(&m, profiles[i], i == 0);
	arena_release(&scratch);
	if (r < 0)
		return error_set(err, r, "out of memory");
	if (!any_zero(out))
		return 0;

	/* Values cancelled out: merge once more to drop what only they used. */
	r = profile_init(&again, out->arena);
	if (r == 0)
		r = profile_merge(
			&again, (const struct profile *const[]){ out }, 1, err);
	if (r < 0)
		return error_set(err, r, "out of memory");
	*out = again;
	return 0;
}
