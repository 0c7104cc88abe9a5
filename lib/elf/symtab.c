/* SPDX-License-Identifier: MIT */
/*
 * Symbol tables: the names that are there when nothing else is.  The sorted
 * table keeps every alias, because tools that print symbols need them, and
 * orders aliases so that the first is the one to show.
 */
#include "elf/symtab.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/vec.h"
#include "elf/image.h"
#include "elf/plt.h"
#include "elf/relocate.h"

enum {
	/* How far back a lookup searches for a symbol that encloses others. */
	NESTING_LIMIT = 256,
};

bool elf_symbols_open(const struct elf *elf, uint32_t type,
		      struct elf_symbols *ret)
{
	struct elf_section table;
	struct elf_section strings;

	if (!elf_find_type(elf, type, &table) ||
	    !elf_section_at(elf, table.link, &strings))
		return false;
	*ret = (struct elf_symbols){
		.entries = elf_section_bytes(elf, &table),
		.strings = elf_section_bytes(elf, &strings),
	};
	while (ret->strings.len && ret->strings.at[ret->strings.len - 1])
		ret->strings.len--;
	ret->count = ret->entries.len / sizeof(Elf64_Sym);
	return ret->count > 0;
}

bool elf_symbol_at(const struct elf_symbols *symbols, size_t i,
		   struct elf_symbol *ret)
{
	Elf64_Sym raw;

	if (i >= symbols->count)
		return false;
	memcpy(&raw, symbols->entries.at + i * sizeof(raw), sizeof(raw));
	*ret = (struct elf_symbol){
		.name = raw.st_name < symbols->strings.len
				? (const char *)symbols->strings.at +
					  raw.st_name
				: "",
		.value = raw.st_value,
		.size = raw.st_size,
		.section = raw.st_shndx,
		.type = ELF64_ST_TYPE(raw.st_info),
		.bind = ELF64_ST_BIND(raw.st_info),
	};
	return true;
}

static size_t symbol_name_len(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at != name ? (size_t)(at - name) : strlen(name);
}

/* "$x", "$d.7": marks of the assembler; ".L42": labels it did not drop. */
static bool is_marker(const char *name)
{
	if (name[0] == '$' && (name[1] == 'x' || name[1] == 'd'))
		return name[2] == '\0' || name[2] == '.';
	return name[0] == '.' && name[1] == 'L';
}

static bool is_code_symbol(const struct elf *elf, const struct elf_symbol *s)
{
	if (!s->name[0] || s->section == SHN_UNDEF || s->section == SHN_ABS)
		return false;
	if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
		return true;
	return s->type == STT_NOTYPE && !is_marker(s->name) &&
	       elf_is_code(elf, s->value);
}

typedef VEC(struct symtab_row) row_vec;

/* The name without its version, which .symtab spells out. */
static const char *plain_name(const char *name, struct arena *arena)
{
	size_t len = symbol_name_len(name);

	return name[len] ? arena_text(arena, name, len) : name;
}

static int collect(row_vec *rows, const struct elf *elf, uint32_t type,
		   struct arena *arena)
{
	struct elf_symbols symbols;
	struct elf_symbol s;

	if (!elf_symbols_open(elf, type, &symbols))
		return 0;
	for (size_t i = 1; elf_symbol_at(&symbols, i, &s); i++) {
		struct symtab_row *row;

		s.value = elf_symbol_address(elf, &s);
		if (!is_code_symbol(elf, &s))
			continue;
		s.name = plain_name(s.name, arena);
		row = VEC_PUSH(rows, arena);
		if (!row || !s.name)
			return -ENOMEM;
		*row = (struct symtab_row){
			.address = s.value,
			.size = s.size,
			.name = s.name,
			.type = s.type,
			.bind = s.bind,
			.sized = s.size > 0,
		};
	}
	return 0;
}

/* Where the stubs of the linkage table go. */
struct stub_target {
	row_vec *rows;
	struct arena *arena;
};

static bool add_stub(void *context, const struct plt_stub *stub)
{
	const struct stub_target *t = context;
	size_t len = symbol_name_len(stub->target);
	struct symtab_row *row = VEC_PUSH(t->rows, t->arena);
	char *name = arena_alloc(t->arena, len + sizeof("@plt"));

	if (!row || !name)
		return false;
	memcpy(name, stub->target, len);
	memcpy(name + len, "@plt", sizeof("@plt"));
	*row = (struct symtab_row){
		.address = stub->address,
		.size = stub->size,
		.name = name,
		.type = STT_FUNC,
		.bind = STB_LOCAL,
		.sized = true,
	};
	return true;
}

static int collect_stubs(row_vec *rows, const struct elf *elf,
			 struct arena *arena)
{
	struct stub_target target = { .rows = rows, .arena = arena };

	plt_for_each(elf, add_stub, &target);
	return arena->failed ? -ENOMEM : 0;
}

static unsigned underscores(const char *name)
{
	unsigned n = 0;

	while (name[n] == '_')
		n++;
	return n;
}

static unsigned bind_rank(uint8_t bind)
{
	return bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;
}

/* <0: a is the better name for the address that both have. */
static int compare_aliases(const struct symtab_row *a,
			   const struct symtab_row *b)
{
	size_t a_len, b_len;

	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if (a->bind != b->bind)
		return (int)bind_rank(a->bind) - (int)bind_rank(b->bind);
	if (underscores(a->name) != underscores(b->name))
		return (int)underscores(a->name) - (int)underscores(b->name);
	a_len = strlen(a->name);
	b_len = strlen(b->name);
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return memcmp(a->name, b->name, a_len);
}

/*
 * Orders the rows of one address, best first.  A hostile file may have a
 * million: then only the best is found, and the rest stay as they are.
 */
static void order_aliases(struct symtab_row *row, uint32_t count)
{
	uint32_t rounds = count < 64 ? count : 1;

	for (uint32_t i = 0; i < rounds; i++) {
		struct symtab_row swap = row[i];
		uint32_t best = i;

		for (uint32_t j = i + 1; j < count; j++)
			if (compare_aliases(&row[j], &row[best]) < 0)
				best = j;
		row[i] = row[best];
		row[best] = swap;
	}
}

/* Drops a row that says the same as its neighbour (.dynsym repeats .symtab). */
static uint32_t drop_repeated(struct symtab_row *row, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct symtab_row *last = kept ? &row[kept - 1] : NULL;

		if (last && last->address == row[i].address &&
		    strcmp(last->name, row[i].name) == 0)
			continue;
		row[kept++] = row[i];
	}
	return kept;
}

/* Where the section that holds address ends; address + 1 if none does. */
static uint64_t section_end(const struct elf *elf, uint64_t address)
{
	struct elf_section s;

	for (uint32_t i = 1; elf_section_at(elf, i, &s); i++)
		if ((s.flags & SHF_ALLOC) && address >= s.address &&
		    address - s.address < s.size)
			return s.address + s.size;
	return address + 1;
}

static uint64_t end_of(const struct symtab_row *row)
{
	uint64_t end;

	if (__builtin_add_overflow(row->address, row->size, &end))
		return UINT64_MAX;
	return end;
}

/* From address to next or to the section's end, whichever comes first. */
static uint64_t space_up_to(const struct elf *elf, uint64_t address,
			    uint64_t next)
{
	uint64_t end = section_end(elf, address);

	return (next > address && next < end ? next : end) - address;
}

/* Gives rows without a size the space up to the next address. */
static void extend_sizes(struct symtab *t, const struct elf *elf)
{
	uint64_t next = 0;
	uint64_t reach = 0;

	for (uint32_t i = t->count; i-- > 0;) {
		struct symtab_row *row = &t->row[i];

		if (i + 1 < t->count && row[1].address != row->address)
			next = row[1].address;
		if (!row->size)
			row->size = space_up_to(elf, row->address, next);
	}
	for (uint32_t i = 0; i < t->count; i++) {
		if (end_of(&t->row[i]) > reach)
			reach = end_of(&t->row[i]);
		t->row[i].reach = reach;
	}
}

/* Puts rows in the order of address, keeping that of the file otherwise. */
static int order_rows(struct symtab *t, const row_vec *rows,
		      struct arena *arena)
{
	size_t bytes = rows->count * sizeof(struct sort_item);
	struct sort_item *items = arena_alloc(arena, bytes);
	struct sort_item *scratch = arena_alloc(arena, bytes);

	t->row = ARENA_ARRAY(arena, struct symtab_row, rows->count);
	if (!items || !scratch || !t->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->count; i++)
		items[i] = (struct sort_item){ .key = rows->at[i].address,
					       .id = i };
	sort_items(items, scratch, rows->count);
	for (uint32_t i = 0; i < rows->count; i++)
		t->row[i] = rows->at[items[i].id];
	t->count = rows->count;
	arena_free(arena, scratch, bytes);
	arena_free(arena, items, bytes);
	return 0;
}

int symtab_build_all(struct symtab *t, const struct elf *elf, unsigned count,
		     struct arena *arena)
{
	row_vec rows = { 0 };
	int r = 0;

	*t = (struct symtab){ 0 };
	for (unsigned i = 0; i < count && r == 0; i++) {
		r = collect(&rows, &elf[i], SHT_SYMTAB, arena);
		if (r == 0)
			r = collect(&rows, &elf[i], SHT_DYNSYM, arena);
		if (r == 0)
			r = collect_stubs(&rows, &elf[i], arena);
	}
	if (r == 0 && rows.count)
		r = order_rows(t, &rows, arena);
	if (r < 0)
		return r;
	arena_free(arena, rows.at, rows.capacity * sizeof(*rows.at));

	for (uint32_t i = 0, end; i < t->count; i = end) {
		for (end = i + 1; end < t->count; end++)
			if (t->row[end].address != t->row[i].address)
				break;
		order_aliases(t->row + i, end - i);
	}
	t->count = drop_repeated(t->row, t->count);
	extend_sizes(t, elf);
	return 0;
}

int symtab_build(struct symtab *t, const struct elf *elf, struct arena *arena)
{
	return symtab_build_all(t, elf, 1, arena);
}

uint32_t symtab_lower_bound(const struct symtab *t, uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = t->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->row[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first, so the preferred, row that has the address of row i. */
static uint32_t first_alias(const struct symtab *t, uint32_t i)
{
	while (i && t->row[i - 1].address == t->row[i].address)
		i--;
	return i;
}

const struct symtab_row *symtab_find(const struct symtab *t, uint64_t address)
{
	uint32_t i = address < UINT64_MAX ? symtab_lower_bound(t, address + 1)
					  : t->count;

	for (unsigned n = 0; i && n < NESTING_LIMIT; n++) {
		i = first_alias(t, i - 1);
		if (address < end_of(&t->row[i]))
			return &t->row[i];
		if (t->row[i].reach <= address)
			return NULL;
	}
	return NULL;
}

uint64_t elf_symbol_value(const struct elf *elf, const char *name)
{
	struct elf_symbols symbols;
	struct elf_symbol s;

	if (!elf_symbols_open(elf, SHT_SYMTAB, &symbols))
		return 0;
	for (size_t i = 0; elf_symbol_at(&symbols, i, &s); i++)
		if (!strcmp(s.name, name))
			return s.value;
	return 0;
}
