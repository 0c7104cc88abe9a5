/* SPDX-License-Identifier: MIT */
/* From locations to the entries of a report: see node.h. */
#include "profile/node.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/sink.h"

static uint32_t info_hash(const struct node_info *n)
{
	uint64_t h = n->address;

	h = hash_mix(h, (uint64_t)n->name << 32 | n->file);
	h = hash_mix(h, (uint64_t)n->line);
	h = hash_mix(h, (uint64_t)n->column);
	h = hash_mix(h, (uint64_t)n->start_line << 32 | n->object);
	return hash_u64(h);
}

static bool info_equal(const struct node_info *a, const struct node_info *b)
{
	return a->address == b->address && a->name == b->name &&
	       a->file == b->file && a->line == b->line &&
	       a->column == b->column && a->start_line == b->start_line &&
	       a->object == b->object;
}

static node_id add_info(struct nodetab *t, struct arena *arena,
			const struct node_info *info)
{
	uint32_t hash = info_hash(info);
	uint32_t i = table_start(&t->index, hash);
	struct node_info *row;
	uint32_t id;

	for (; (id = table_id(&t->index, i, hash)) != TABLE_END;
	     i = table_next(&t->index, i))
		if (id && info_equal(&t->info.at[id], info))
			return id;

	row = VEC_PUSH(&t->info, arena);
	if (!row || !table_add(&t->index, arena, hash, t->info.count - 1))
		return 0;
	*row = *info;
	return t->info.count - 1;
}

static struct node_info info_of(const struct profile *p,
				const struct node_options *o,
				const struct location *l,
				const struct line *line)
{
	struct node_info info = { .address = o->address ? l->address : 0 };
	str_id object = p->mappings.at[l->mapping].file;
	const struct function *f;

	if (!line) {
		info.object = object;
		return info;
	}
	f = &p->functions.at[line->function];
	info.name = o->function ? f->name : 0;
	if (o->file)
		info.file = o->files ? o->files[line->function] : f->file;
	if (o->line)
		info.line = line->line;
	if (o->line && o->column)
		info.column = line->column;
	if (o->object || !info.name) {
		info.object = object;
		info.start_line = f->start_line;
	}
	return info;
}

static bool add_location(struct nodetab *t, const struct profile *p,
			 const struct node_options *o, struct arena *arena,
			 const struct location *l)
{
	const struct line *lines = location_lines(p, l);
	uint32_t count = l->line_count;

	if (!o->inlines && count > 1) {
		lines += count - 1;
		count = 1;
	}
	if (!VEC_RESERVE(&t->ids, arena, count + 1))
		return false;
	for (uint32_t i = 0; i < count || (i == 0 && count == 0); i++) {
		struct node_info info = info_of(p, o, l,
						count ? &lines[i] : NULL);
		node_id id = add_info(t, arena, &info);

		if (!id)
			return false;
		t->ids.at[t->ids.count++] = id;
	}
	return true;
}

int nodetab_add(struct nodetab *t, const struct profile *p,
		const struct node_options *o, location_id from,
		struct arena *arena)
{
	uint32_t count = p->locations.count;

	for (location_id l = from; l < count; l++) {
		t->first[l] = t->ids.count;
		if (!add_location(t, p, o, arena, &p->locations.at[l]))
			return -ENOMEM;
	}
	t->first[count] = t->ids.count;
	return 0;
}

int nodetab_make(struct nodetab *t, const struct profile *p,
		 const struct node_options *o, struct arena *arena)
{
	uint32_t count = p->locations.count;

	*t = (struct nodetab){ 0 };
	t->first = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
	if (!t->first || !VEC_RESERVE(&t->info, arena, 1))
		return -ENOMEM;
	t->info.count = 1;
	/* By line or address nearly each location has a node to itself. */
	if ((o->address || o->line) && !VEC_RESERVE(&t->info, arena, count))
		return -ENOMEM;
	if (!VEC_RESERVE(&t->ids, arena, p->lines.count))
		return -ENOMEM;
	return nodetab_add(t, p, o, 1, arena);
}

struct span path_base(struct span path)
{
	size_t start;

	while (path.len > 1 && path.at[path.len - 1] == '/')
		path.len--;
	for (start = path.len; start > 0 && path.at[start - 1] != '/';)
		start--;
	if (path.len == 1)
		return path;
	return span_of(path.at + start, path.len - start);
}

static void put_place(struct sink *out, const struct node_info *info,
		      const struct strtab *s)
{
	if (info->line) {
		sink_span(out, str_span(s, info->file));
		sink_format(out, ":%lld", (long long)info->line);
		if (info->column)
			sink_format(out, ":%lld", (long long)info->column);
	} else if (info->file) {
		sink_span(out, str_span(s, info->file));
	} else if (info->object) {
		sink_char(out, '[');
		sink_span(out, path_base(str_span(s, info->object)));
		sink_char(out, ']');
	} else {
		sink_text(out, "<unknown>");
	}
}

/* More than any name of these parts takes. */
static size_t name_bound(const struct node_info *info, const struct strtab *s)
{
	enum { NUMBERS = 80 };

	return NUMBERS + str_len(s, info->name) + str_len(s, info->file) +
	       str_len(s, info->object);
}

struct span node_name(const struct node_info *info, const struct strtab *s,
		      struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	bool place = info->line || info->file || !info->name;

	/* Most names are a function's, which has its text already. */
	if (!place && !info->address)
		return str_span(s, info->name);
	out.size = name_bound(info, s);
	out.buf = arena_alloc(arena, out.size);
	if (!out.buf)
		return (struct span){ 0 };
	if (info->address)
		sink_format(&out, "%016llx%s",
			    (unsigned long long)info->address,
			    info->name || place ? " " : "");
	if (info->name) {
		sink_span(&out, str_span(s, info->name));
		sink_text(&out, place ? " " : "");
	}
	if (place)
		put_place(&out, info, s);
	return sink_bytes(&out);
}
