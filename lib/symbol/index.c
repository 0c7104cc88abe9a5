/* SPDX-License-Identifier: MIT */
/*
 * The searchable form of one unit.  Arrays of program counters stand apart
 * from what they lead to, so that a binary search touches as few cache lines
 * as it can.
 */
#include "symbol/index.h"

#include "base/arena.h"
#include "base/bound.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/table.h"
#include "base/vec.h"
#include "dwarf/line.h"
#include "dwarf/tree.h"

enum {
	FUNCTION_MAGIC = 0x46495757, /* "WWIF" */
	LINE_MAGIC = 0x4c495757,     /* "WWIL" */
	ALIGNMENT = 8,
};

/* In front of both parts. */
struct index_header {
	uint32_t magic;
	uint32_t keys;	/* segments or rows */
	uint32_t items; /* nodes or files */
	uint32_t text_len;
};

/* The strings of an index while it is written: each pointer once. */
struct text_builder {
	struct arena *arena;
	VEC(char) text;
	VEC(const char *) seen;
	VEC(uint32_t) offset;
	struct table index;
	bool failed;
};

static uint32_t append(struct text_builder *b, const char *text, size_t len)
{
	uint32_t at = b->text.count;

	if (!VEC_RESERVE(&b->text, b->arena, len + 1)) {
		b->failed = true;
		return 0;
	}
	memcpy(b->text.at + at, text, len);
	b->text.at[at + len] = '\0';
	b->text.count += (uint32_t)len + 1;
	return at;
}

/* The offset of a string that lives in the debug sections. */
static uint32_t intern(struct text_builder *b, const char *text)
{
	uint32_t hash = hash_u64((uintptr_t)text);
	uint32_t i = table_start(&b->index, hash);
	uint32_t id, at;
	const char **seen;
	uint32_t *offset;

	if (!*text)
		return 0;
	for (; (id = table_id(&b->index, i, hash)) != TABLE_END;
	     i = table_next(&b->index, i))
		if (id && b->seen.at[id - 1] == text)
			return b->offset.at[id - 1];
	at = append(b, text, strlen(text));
	seen = VEC_PUSH(&b->seen, b->arena);
	offset = VEC_PUSH(&b->offset, b->arena);
	if (!seen || !offset ||
	    !table_add(&b->index, b->arena, hash, b->seen.count)) {
		b->failed = true;
		return 0;
	}
	*seen = text;
	*offset = at;
	return at;
}

/* Room for an index: header, keys times key bytes, items, text. */
static uint8_t *start_index(const struct index_header *h, size_t key,
			    size_t item, struct arena *arena, size_t *size)
{
	uint8_t *to;

	*size = sizeof(*h) + h->keys * key + h->items * item + h->text_len;
	*size = (*size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	to = arena_alloc(arena, *size);
	if (to)
		memcpy(to, h, sizeof(*h));
	return to;
}

static struct span write_functions(const struct tree *t,
				   const struct text_builder *b,
				   const uint32_t *name, struct arena *arena)
{
	const struct index_header h = {
		.magic = FUNCTION_MAGIC,
		.keys = t->segments.count,
		.items = t->nodes.count,
		.text_len = b->text.count,
	};
	size_t size;
	uint8_t *to = start_index(&h, 8, sizeof(struct index_node), arena,
				  &size);
	uint32_t *pc = (uint32_t *)(to + sizeof(h));
	uint32_t *node_of = pc + h.keys;
	struct index_node *node = (struct index_node *)(node_of + h.keys);

	if (!to)
		return (struct span){ 0 };
	for (uint32_t i = 0; i < h.keys; i++) {
		pc[i] = t->segments.at[i].pc;
		node_of[i] = t->segments.at[i].owner;
	}
	for (uint32_t i = 0; i < h.items; i++)
		node[i] = (struct index_node){
			.name = name[i],
			.parent = t->nodes.at[i].parent,
			.call_file = t->nodes.at[i].call_file,
			.call_line = t->nodes.at[i].call_line,
			.call_column = t->nodes.at[i].call_column,
			.decl_line = t->nodes.at[i].decl_line,
		};
	memcpy(node + h.items, b->text.at, h.text_len);
	return span_of(to, size);
}

struct span function_index_write(const struct tree *t, struct arena *arena,
				 struct arena *scratch)
{
	struct text_builder b = { .arena = scratch };
	struct span result = { 0 };
	uint32_t *name = ARENA_ARRAY(scratch, uint32_t, t->nodes.count);

	append(&b, "", 0);
	for (uint32_t i = 0; name && i < t->nodes.count; i++)
		name[i] = intern(&b, t->nodes.at[i].name);
	if (name && !b.failed)
		result = write_functions(t, &b, name, arena);
	return result;
}

/* The directory of a line program, made absolute where that is possible. */
static uint32_t add_directory(struct text_builder *b,
			      const struct line_program *p, uint32_t i,
			      const char *comp_dir)
{
	const char *name = p->directories.at[i];
	size_t comp_len = strlen(comp_dir);
	uint32_t at;

	if (name[0] == '/' || !comp_len || (i == 0 && p->version >= 5))
		return append(b, name, strlen(name));
	if (!name[0])
		return append(b, comp_dir, comp_len);
	at = append(b, comp_dir, comp_len);
	if (b->failed)
		return 0;
	/* Write over the NUL. */
	b->text.count--;
	if (comp_dir[comp_len - 1] != '/') {
		append(b, "/", 1);
		b->text.count -= !b->failed;
	}
	append(b, name, strlen(name));
	return at;
}

/* The names of all files; NULL: out of memory. */
static struct index_file *add_files(struct text_builder *b,
				    const struct line_program *p,
				    const char *comp_dir)
{
	uint32_t *directory = ARENA_ARRAY(b->arena, uint32_t,
					  p->directories.count + 1u);
	struct index_file *file = ARENA_ARRAY(b->arena, struct index_file,
					      p->files.count + 1u);

	if (!directory || !file)
		return NULL;
	for (uint32_t i = 0; i < p->directories.count; i++)
		directory[i] = add_directory(b, p, i, comp_dir);
	for (uint32_t i = 0; i < p->files.count; i++) {
		const struct line_file *f = &p->files.at[i];

		file[i].name = intern(b, f->name);
		/* An absolute name needs no directory. */
		if (f->name[0] != '/' && f->directory < p->directories.count)
			file[i].directory = directory[f->directory];
	}
	return b->failed ? NULL : file;
}

/* Rows in the order of address, as they are copied into the index. */
struct row_writer {
	uint32_t *pc;
	struct index_place *place;
	uint32_t count;
	uint32_t end; /* pc up to which rows have been written */
};

static void write_row(struct row_writer *w, uint32_t pc,
		      struct index_place place)
{
	if (w->count && w->pc[w->count - 1] == pc)
		w->count--;
	if (w->count && w->place[w->count - 1].line == place.line &&
	    w->place[w->count - 1].where == place.where)
		return;
	w->pc[w->count] = pc;
	w->place[w->count++] = place;
}

/* Writes a sequence, less what an earlier one has covered. */
static void write_sequence(struct row_writer *w, const struct line_program *p,
			   const struct line_sequence *s)
{
	if (s->high <= w->end && w->count)
		return;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct line_row *row = &p->rows.at[s->first + i];
		bool last = i + 1 == s->count;
		uint32_t pc = row->pc;

		if (!last && row[1].pc <= w->end && w->count)
			continue;
		if (pc < w->end && w->count)
			pc = w->end;
		if (pc >= s->high)
			break;
		write_row(w, pc, (struct index_place){ row->line, row->where });
	}
	write_row(w, s->high, (struct index_place){ 0 });
	w->end = s->high;
}

static bool write_rows(struct row_writer *w, const struct line_program *p,
		       struct arena *scratch)
{
	uint32_t count = p->sequences.count;
	struct sort_item *items = ARENA_ARRAY(scratch, struct sort_item,
					      (size_t)count * 2);
	/* Each sequence adds a row that ends it. */
	size_t room = (size_t)p->rows.count + count + 1;

	w->pc = ARENA_ARRAY(scratch, uint32_t, room);
	w->place = ARENA_ARRAY(scratch, struct index_place, room);
	if (!items || !w->pc || !w->place)
		return false;
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ .key = p->sequences.at[i].low,
					       .id = i };
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		write_sequence(w, p, &p->sequences.at[items[i].id]);
	return true;
}

static struct span write_lines(const struct row_writer *w,
			       const struct index_file *file,
			       uint32_t file_count,
			       const struct text_builder *b,
			       struct arena *arena)
{
	const struct index_header h = {
		.magic = LINE_MAGIC,
		.keys = w->count,
		.items = file_count,
		.text_len = b->text.count,
	};
	const size_t key = sizeof(uint32_t) + sizeof(struct index_place);
	size_t size;
	uint8_t *to = start_index(&h, key, sizeof(*file), arena, &size);
	uint8_t *at = to + sizeof(h);

	if (!to)
		return (struct span){ 0 };
	memcpy(at, w->pc, w->count * sizeof(*w->pc));
	at += w->count * sizeof(*w->pc);
	memcpy(at, w->place, w->count * sizeof(*w->place));
	at += w->count * sizeof(*w->place);
	memcpy(at, file, file_count * sizeof(*file));
	at += file_count * sizeof(*file);
	memcpy(at, b->text.at, b->text.count);
	return span_of(to, size);
}

struct span line_index_write(const struct line_program *p, const char *comp_dir,
			     struct arena *arena, struct arena *scratch)
{
	struct text_builder b = { .arena = scratch };
	struct row_writer w = { 0 };
	struct span result = { 0 };
	struct index_file *file;

	append(&b, "", 0);
	file = add_files(&b, p, comp_dir);
	if (file && write_rows(&w, p, scratch))
		result = write_lines(&w, file, p->files.count, &b, arena);
	return result;
}

/* Reads the header and takes the arrays; false if not all are there. */
static bool open_index(struct span bytes, uint32_t magic, size_t item,
		       struct index_header *h, struct reader *r)
{
	*r = reader_of(bytes);
	h->magic = reader_u32(r);
	h->keys = reader_u32(r);
	h->items = reader_u32(r);
	h->text_len = reader_u32(r);
	if (r->failed || h->magic != magic || !h->text_len ||
	    (uintptr_t)bytes.at % sizeof(uint32_t))
		return false;
	return (uint64_t)h->items * item <= bytes.len;
}

/* The text, which must end with a NUL; NULL if it does not. */
static const char *take_text(struct reader *r, uint32_t len)
{
	struct span s = reader_take(r, len);

	if (r->failed || !s.len || s.at[s.len - 1] != '\0')
		return NULL;
	return (const char *)s.at;
}

bool function_index_open(struct function_index *x, struct span bytes)
{
	struct index_header h;
	struct reader r;

	if (!open_index(bytes, FUNCTION_MAGIC, sizeof(*x->node), &h, &r))
		return false;
	*x = (struct function_index){
		.segment_count = h.keys,
		.node_count = h.items,
		.text_len = h.text_len,
	};
	x->pc = (const void *)reader_take(&r, h.keys * 4ull).at;
	x->node_of = (const void *)reader_take(&r, h.keys * 4ull).at;
	x->node = (const void *)reader_take(
			  &r, h.items * (uint64_t)sizeof(*x->node))
			  .at;
	x->text = take_text(&r, h.text_len);
	return x->text != NULL;
}

bool line_index_open(struct line_index *x, struct span bytes)
{
	struct index_header h;
	struct reader r;

	if (!open_index(bytes, LINE_MAGIC, sizeof(*x->file), &h, &r))
		return false;
	*x = (struct line_index){
		.row_count = h.keys,
		.file_count = h.items,
		.text_len = h.text_len,
	};
	x->pc = (const void *)reader_take(&r, h.keys * 4ull).at;
	x->place = (const void *)reader_take(
			   &r, h.keys * (uint64_t)sizeof(*x->place))
			   .at;
	x->file = (const void *)reader_take(
			  &r, h.items * (uint64_t)sizeof(*x->file))
			  .at;
	x->text = take_text(&r, h.text_len);
	return x->text != NULL;
}

uint32_t function_index_find(const struct function_index *x, uint32_t pc,
			     uint32_t *near)
{
	uint32_t i = bound_above_near(x->pc, 1, x->segment_count, pc, near);
	uint32_t node = i ? x->node_of[i - 1] : 0;

	return node < x->node_count ? node : 0;
}

const struct index_place *line_index_find(const struct line_index *x,
					  uint32_t pc, uint32_t *near)
{
	uint32_t i = bound_above_near(x->pc, 1, x->row_count, pc, near);

	if (!i || (!x->place[i - 1].line && !x->place[i - 1].where))
		return NULL;
	return &x->place[i - 1];
}
