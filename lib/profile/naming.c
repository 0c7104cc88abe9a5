/* SPDX-License-Identifier: MIT */
/* See naming.h. */
#include "profile/naming.h"

#include "base/hash.h"
#include "base/sink.h"

static function_id get_function(struct naming *n, const struct function *row)
{
	struct profile *p = n->profile;
	uint32_t hash = hash_u64(hash_mix((uint64_t)row->name << 32 | row->file,
					  (uint64_t)row->start_line));
	uint32_t i = table_start(&n->functions, hash);
	struct function add = *row;
	function_id id;

	for (; (id = table_id(&n->functions, i, hash)) != TABLE_END;
	     i = table_next(&n->functions, i)) {
		const struct function *f = &p->functions.at[id];

		if (id && f->name == row->name && f->file == row->file &&
		    f->system_name == row->system_name &&
		    f->start_line == row->start_line)
			return id;
	}
	add.id = p->functions.count;
	id = profile_add_function(p, add);
	if (id && !table_add(&n->functions, &n->scratch, hash, id))
		return 0;
	return id;
}

static str_id file_name(struct naming *n, const struct frame_name *f)
{
	struct sink path = sink_to_memory(&n->scratch);

	if (!*f->file)
		return 0;
	if (*f->directory)
		sink_format(&path, "%s/", f->directory);
	sink_text(&path, f->file);
	return strtab_add_span(n->profile->strings, sink_bytes(&path));
}

static bool add_line(struct naming *n, struct mapping *m,
		     const struct frame_name *frame)
{
	struct profile *p = n->profile;
	struct function row = {
		.name = strtab_add_text(p->strings, frame->name),
		.system_name = strtab_add_text(p->strings, frame->system_name),
		.file = file_name(n, frame),
		.start_line = frame->start_line,
	};
	function_id function = get_function(n, &row);

	if (!function)
		return false;
	p->lines.at[p->lines.count++] = (struct line){
		.function = function,
		.line = frame->line,
		.column = frame->column,
	};
	m->flags |= row.name ? MAPPING_HAS_FUNCTIONS : 0;
	m->flags |= row.file ? MAPPING_HAS_FILENAMES : 0;
	m->flags |= frame->line ? MAPPING_HAS_LINE_NUMBERS : 0;
	return true;
}

bool naming_set(struct naming *n, location_id id,
		const struct frame_name *frames, uint32_t count)
{
	struct profile *p = n->profile;
	struct location *l = &p->locations.at[id];
	struct mapping *m = &p->mappings.at[l->mapping];
	uint32_t first = p->lines.count;

	if (!VEC_RESERVE(&p->lines, p->arena, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!add_line(n, m, &frames[i]))
			return false;
	m->flags |= count > 1 ? MAPPING_HAS_INLINE_FRAMES : 0;
	l->first_line = first;
	l->line_count = count;
	l->folded = false;
	return true;
}

void naming_release(struct naming *n)
{
	arena_release(&n->scratch);
}
