/* SPDX-License-Identifier: MIT */
/*
 * The layout is not documented but in Go's runtime; it changed in 1.16, 1.18
 * and 1.20.  Offsets are 32 bits wide and lead from one subtable to another;
 * every one is checked when it is used.
 */
#include "symbol/pclntab.h"

#include <elf.h>
#include <errno.h>

#include "base/arena.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "symbol/module.h"

enum {
	MAGIC_116 = 0xfffffffa,
	MAGIC_118 = 0xfffffff0,
	MAGIC_120 = 0xfffffff1,
	/* Numbers of tables that a function has. */
	PCDATA_INLINE_INDEX = 2,
	FUNCDATA_INLINE_TREE = 3,
	INLINE_SIZE_118 = 20,
	INLINE_SIZE_120 = 16,
	/* Words of the runtime's description of a module. */
	MODULE_TEXT = 22,
	MODULE_INLINES_118 = 38,
	MODULE_INLINES_120 = 40,
	VALUES_MAX = 1 << 20, /* steps taken to find a value */
};

/* What a cursor remembers a place of. */
enum { VALUE_FILE, VALUE_LINE, VALUE_CALL };

static uint32_t u32_at(struct span s, uint64_t offset)
{
	struct span part = span_part(s, offset, 4);
	uint32_t value = 0;

	if (part.len)
		memcpy(&value, part.at, sizeof(value));
	return value;
}

static uint64_t u64_at(struct span s, uint64_t offset)
{
	struct span part = span_part(s, offset, 8);
	uint64_t value = 0;

	if (part.len)
		memcpy(&value, part.at, sizeof(value));
	return value;
}

static struct span rest(struct span s, uint64_t offset)
{
	return span_part(s, offset, offset < s.len ? s.len - offset : 0);
}

/* The string at offset; "" if it does not end inside s. */
static const char *text_at(struct span s, uint64_t offset)
{
	s = rest(s, offset);
	if (!s.len || !memchr(s.at, '\0', s.len))
		return "";
	return (const char *)s.at;
}

static uint32_t version_of(struct span table)
{
	if (table.len < 16 || table.at[4] || table.at[5] || table.at[7] != 8 ||
	    !table.at[6])
		return 0;
	switch (u32_at(table, 0)) {
	case MAGIC_116:
		return 16;
	case MAGIC_118:
		return 18;
	case MAGIC_120:
		return 20;
	default:
		return 0;
	}
}

/* Reads the header of a table; false: not one. */
static bool open_table(struct pclntab *t, struct span table)
{
	/* The text's address came in between in 1.18. */
	unsigned word = 2;

	*t = (struct pclntab){ .table = table, .version = version_of(table) };
	if (!t->version)
		return false;
	t->quantum = table.at[6];
	t->count = u64_at(table, 8);
	if (t->version >= 18)
		t->text = u64_at(table, 8 + 8 * word++);
	t->names = rest(table, u64_at(table, 8 + 8 * word++));
	t->units = rest(table, u64_at(table, 8 + 8 * word++));
	t->files = rest(table, u64_at(table, 8 + 8 * word++));
	t->values = rest(table, u64_at(table, 8 + 8 * word++));
	t->functions = rest(table, u64_at(table, 8 + 8 * word));
	return t->functions.len && t->count <= t->functions.len / 8;
}

/* Looks for a table by its first bytes, which are aligned. */
static bool scan_for_table(struct pclntab *t, struct span bytes)
{
	for (size_t i = 0; i + 16 <= bytes.len; i += 8)
		if (bytes.at[i + 3] == 0xff &&
		    version_of(span_of(bytes.at + i, 16)) &&
		    open_table(t, rest(bytes, i)))
			return true;
	return false;
}

static bool find_table(struct pclntab *t, const struct elf *elf)
{
	static const char *const names[] = {
		".gopclntab",
		".data.rel.ro.gopclntab",
	};
	struct elf_section section;
	struct elf_segment s;

	for (unsigned i = 0; i < 2; i++)
		if (elf_find_section(elf, names[i], &section) &&
		    open_table(t, elf_section_bytes(elf, &section)))
			return true;
	/* Only Go's linker leaves this note or section; do not scan others. */
	if (!elf_find_section(elf, ".note.go.buildid", &section) &&
	    !elf_find_section(elf, ".go.buildinfo", &section))
		return false;
	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++)
		if (s.type == PT_LOAD && !(s.flags & PF_X) &&
		    scan_for_table(t, elf_segment_bytes(elf, &s)))
			return true;
	return false;
}

/* The virtual address of a byte of the file; 0: none. */
static uint64_t address_of(const struct elf *elf, const uint8_t *at)
{
	uint64_t address;

	if (!elf_offset_to_address(elf, (uint64_t)(at - elf->file.at),
				   &address))
		return 0;
	return address;
}

/*
 * The runtime's description of the program's one module: it starts with the
 * table's address.
 */
static struct span find_module(const struct elf *elf, uint64_t table)
{
	struct elf_segment s;

	for (uint32_t i = 0; table && elf_segment_at(elf, i, &s); i++) {
		struct span bytes = elf_segment_bytes(elf, &s);

		if (s.type != PT_LOAD || !(s.flags & PF_W))
			continue;
		for (uint64_t at = 0; at + 8 <= bytes.len; at += 8)
			if (u64_at(bytes, at) == table)
				return rest(bytes, at);
	}
	return (struct span){ 0 };
}

bool pclntab_open(struct pclntab *t, const struct elf *elf)
{
	struct elf_section text;
	struct span module;
	uint64_t inlines;

	*t = (struct pclntab){ 0 };
	if (!find_table(t, elf)) {
		*t = (struct pclntab){ 0 };
		return false;
	}
	module = find_module(elf, address_of(elf, t->table.at));
	inlines = u64_at(module, 8 * (t->version >= 20 ? MODULE_INLINES_120
						       : MODULE_INLINES_118));
	if (t->version >= 18)
		t->inlines = elf_bytes_from(elf, inlines);
	if (t->version >= 18 && !t->text)
		t->text = u64_at(module, 8 * MODULE_TEXT);
	if (t->version >= 18 && !t->text &&
	    elf_find_section(elf, ".text", &text))
		t->text = text.address;
	return true;
}

static uint64_t entry_at(const struct pclntab *t, uint64_t i)
{
	if (t->version >= 18)
		return t->text + u32_at(t->functions, i * 8);
	return u64_at(t->functions, i * 16);
}

static struct span function_at(const struct pclntab *t, uint64_t i)
{
	uint64_t offset = t->version >= 18 ? u32_at(t->functions, i * 8 + 4)
					   : u64_at(t->functions, i * 16 + 8);

	return rest(t->functions, offset);
}

/* Number of the function that has address; count: none. */
static uint64_t search(const struct pclntab *t, uint64_t address)
{
	uint64_t low = 0;
	uint64_t high = t->count;

	if (!t->count || address < entry_at(t, 0) ||
	    address >= entry_at(t, t->count))
		return t->count;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (entry_at(t, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : t->count;
}

/* A function's record; the offsets of its fields depend on the version. */
struct function {
	struct span record;
	uint64_t entry;
	unsigned base; /* of the fields behind the entry address */
};

static uint32_t field(const struct function *f, unsigned i)
{
	return u32_at(f->record, f->base + 4 * (uint64_t)i);
}

enum {
	FIELD_NAME = 0,
	FIELD_FILE = 4,
	FIELD_LINE = 5,
	FIELD_PCDATA_COUNT = 6,
	FIELD_UNIT = 7,
	FIELD_START_LINE = 8, /* since 1.20; the next is one further then */
	FIELD_FLAGS = 8,
};

static unsigned flags_field(const struct pclntab *t)
{
	return t->version >= 20 ? FIELD_FLAGS + 1 : FIELD_FLAGS;
}

/* Goes on to the next value of a table; false if it ends here. */
static bool step_on(const struct pclntab *t, struct pclntab_step *s)
{
	struct span bytes = rest(t->values, s->next);
	struct reader r = reader_of(bytes);
	uint64_t delta = reader_uleb(&r);

	if ((!delta && s->number) || r.failed || s->number == VALUES_MAX)
		return false;
	s->number++;
	s->value += delta >> 1 ^ -(delta & 1);
	s->start = s->end;
	s->end += reader_uleb(&r) * t->quantum;
	s->next += (uint64_t)(r.at - bytes.at);
	return true;
}

/* The value that the table at offset has at pc, an offset from the entry; -1:
 * none. */
static int32_t value_at(const struct pclntab *t, struct pclntab_step *s,
			uint32_t offset, uint64_t pc)
{
	if (!offset)
		return -1;
	if (s->offset != offset || pc < s->start)
		*s = (struct pclntab_step){ .offset = offset,
					    .next = offset,
					    .value = UINT64_MAX };
	while (pc >= s->end)
		if (!step_on(t, s))
			return -1;
	return (int32_t)s->value;
}

static uint32_t pcdata(const struct pclntab *t, const struct function *f,
		       unsigned i)
{
	if (i >= field(f, FIELD_PCDATA_COUNT))
		return 0;
	return field(f, flags_field(t) + 1 + i);
}

/* The function's tree of inlined calls; empty: none. */
static struct span inline_tree(const struct pclntab *t,
			       const struct function *f)
{
	unsigned flags = flags_field(t);
	uint32_t count = field(f, flags) >> 24;
	uint32_t offset;

	if (t->version < 18 || count <= FUNCDATA_INLINE_TREE)
		return (struct span){ 0 };
	offset = field(f, flags + 1 + field(f, FIELD_PCDATA_COUNT) +
				  FUNCDATA_INLINE_TREE);
	if (offset == UINT32_MAX)
		return (struct span){ 0 };
	return rest(t->inlines, offset);
}

/* A value at a level of inlined calls. */
struct level {
	struct pclntab_cursor *cursor;
	uint32_t number;
	uint64_t pc;
};

static int32_t level_value(const struct pclntab *t, const struct level *l,
			   unsigned kind, uint32_t offset)
{
	uint32_t place = l->number < PCLNTAB_LEVELS ? l->number
						    : PCLNTAB_LEVELS - 1;

	return value_at(t, &l->cursor->at[kind][place], offset, l->pc);
}

/* Fills file and line of a frame. */
static void set_place(const struct pclntab *t, const struct function *f,
		      const struct level *l, struct symbol_frame *frame)
{
	int32_t file = level_value(t, l, VALUE_FILE, field(f, FIELD_FILE));
	int32_t line = level_value(t, l, VALUE_LINE, field(f, FIELD_LINE));
	uint32_t offset;

	frame->line = line > 0 ? (uint32_t)line : 0;
	if (file < 0)
		return;
	offset = u32_at(t->units,
			((uint64_t)field(f, FIELD_UNIT) + (uint32_t)file) * 4);
	if (offset != UINT32_MAX)
		frame->file = text_at(t->files, offset);
}

/* An inlined call: the name of what was called, and from where. */
struct inlined_call {
	uint32_t name;
	uint32_t start_line;
	uint32_t parent_pc;
};

static bool read_call(const struct pclntab *t, struct span tree, int32_t i,
		      struct inlined_call *ret)
{
	bool old = t->version < 20;
	uint64_t size = old ? INLINE_SIZE_118 : INLINE_SIZE_120;
	struct span s;

	if (i < 0)
		return false;
	s = span_part(tree, (uint64_t)i * size, size);
	if (!s.len)
		return false;
	*ret = (struct inlined_call){
		.name = u32_at(s, old ? 12 : 4),
		.parent_pc = u32_at(s, old ? 16 : 8),
		.start_line = old ? 0 : u32_at(s, 12),
	};
	return true;
}

static struct function read_function(const struct pclntab *t, uint64_t i)
{
	return (struct function){
		.record = function_at(t, i),
		.entry = entry_at(t, i),
		.base = t->version >= 18 ? 4 : 8,
	};
}

uint32_t pclntab_find(const struct pclntab *t, struct pclntab_cursor *cursor,
		      uint64_t address, struct symbol_frame *frames)
{
	uint64_t i = search(t, address);
	struct function f = read_function(t, i);
	struct span tree = inline_tree(t, &f);
	uint32_t calls = pcdata(t, &f, PCDATA_INLINE_INDEX);
	struct level l = { cursor, 0, address - f.entry };

	/* Behind a function's last line is padding. */
	if (i == t->count || !f.record.len ||
	    level_value(t, &l, VALUE_LINE, field(&f, FIELD_LINE)) < 0)
		return 0;
	for (;; l.number++) {
		struct symbol_frame *frame = &frames[l.number];
		struct inlined_call call;

		*frame = (struct symbol_frame){ "", "", "", 0, 0, 0, false };
		set_place(t, &f, &l, frame);
		if (l.number + 2 == SYMBOL_FRAMES ||
		    !read_call(t, tree, level_value(t, &l, VALUE_CALL, calls),
			       &call) ||
		    call.parent_pc == l.pc)
			break;
		frame->function = text_at(t->names, call.name);
		frame->start_line = call.start_line;
		frame->inlined = true;
		l.pc = call.parent_pc;
	}
	frames[l.number].function = text_at(t->names, field(&f, FIELD_NAME));
	if (t->version >= 20)
		frames[l.number].start_line = field(&f, FIELD_START_LINE);
	return l.number + 1;
}

/* Where the lines of a function end, from its entry; 0: nobody knows.  Tables
 * that are gone through more often than a file has bytes are made to be slow.
 */
static uint64_t end_of_lines(const struct pclntab *t, const struct function *f,
			     uint64_t *budget)
{
	struct pclntab_step lines = { 0 };

	if (!*budget)
		return 0;
	/* There is no such line, but on the way it learns where they end. */
	(void)value_at(t, &lines, field(f, FIELD_LINE), UINT64_MAX);
	*budget -= lines.number < *budget ? lines.number : *budget;
	return lines.end;
}

/* A function as a symbol; false if it can not be one.  Behind its last line, up
 * to the next function, is padding. */
static bool symbol_at(const struct pclntab *t, uint64_t i, uint64_t *budget,
		      struct symtab_row *ret)
{
	struct function f = read_function(t, i);
	uint64_t next = entry_at(t, i + 1);
	uint64_t length;

	*ret = (struct symtab_row){
		.address = f.entry,
		.name = text_at(t->names, field(&f, FIELD_NAME)),
		.type = STT_FUNC,
		.bind = STB_LOCAL,
		.sized = true,
	};
	if (next <= f.entry || !*ret->name)
		return false;
	ret->size = next - f.entry;
	length = end_of_lines(t, &f, budget);
	if (length && length < ret->size)
		ret->size = length;
	return true;
}

static void append(struct symtab *to, const struct symtab_row *row)
{
	uint64_t before = to->count ? to->row[to->count - 1].reach : 0;
	uint64_t end;

	if (__builtin_add_overflow(row->address, row->size, &end))
		end = UINT64_MAX;
	to->row[to->count] = *row;
	to->row[to->count++].reach = end > before ? end : before;
}

int pclntab_add_symbols(const struct pclntab *t, const struct symtab *known,
			struct symtab *ret, struct arena *arena)
{
	uint64_t budget = t->table.len;
	struct symtab_row row;
	uint32_t at = 0;

	if (t->count > UINT32_MAX - known->count)
		return -ENOMEM;
	*ret = (struct symtab){ 0 };
	ret->row = ARENA_ARRAY(arena, struct symtab_row,
			       known->count + t->count);
	if (!ret->row)
		return -ENOMEM;
	for (uint64_t i = 0; i < t->count; i++) {
		if (!symbol_at(t, i, &budget, &row) ||
		    symtab_find(known, row.address))
			continue;
		while (at < known->count &&
		       known->row[at].address < row.address)
			append(ret, &known->row[at++]);
		/* A table that is not in order is damaged. */
		if (ret->count &&
		    row.address < ret->row[ret->count - 1].address)
			continue;
		append(ret, &row);
	}
	while (at < known->count)
		append(ret, &known->row[at++]);
	return 0;
}
