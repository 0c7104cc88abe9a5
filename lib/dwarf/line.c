/* SPDX-License-Identifier: MIT */
/*
 * Line programs, versions 2 to 5.  Of what the state machine can say, only
 * place and file, line and column are kept: statement and block marks do not
 * matter to somebody who asks what an address belongs to.
 */
#include "dwarf/line.h"

#include "base/arena.h"
#include "dwarf/code.h"
#include "dwarf/constants.h"
#include "dwarf/die.h"
#include "dwarf/file.h"

enum {
	MAX_FORMATS = 16,
};

static const char *take_string(struct reader *r)
{
	const uint8_t *start = r->at;
	const uint8_t *nul = reader_left(r)
				     ? memchr(r->at, '\0', reader_left(r))
				     : NULL;

	if (!nul) {
		r->failed = true;
		r->at = r->end;
		return "";
	}
	r->at = nul + 1;
	return (const char *)start;
}

static bool add_file(struct line_program *p, const char *name,
		     uint64_t directory, struct arena *arena)
{
	struct line_file *f = VEC_PUSH(&p->files, arena);

	if (!f)
		return false;
	*f = (struct line_file){
		.name = name,
		.directory = directory < p->directories.count
				     ? (uint32_t)directory
				     : 0,
	};
	return true;
}

static bool add_directory(struct line_program *p, const char *name,
			  struct arena *arena)
{
	const char **to = VEC_PUSH(&p->directories, arena);

	if (!to)
		return false;
	*to = name;
	return true;
}

/* The tables of versions 2 to 4, whose files count from 1. */
static bool read_names(struct line_program *p, struct reader *r,
		       struct arena *arena)
{
	const char *name;

	if (!add_directory(p, "", arena) || !add_file(p, "", 0, arena))
		return false;
	while (*(name = take_string(r)))
		if (!add_directory(p, name, arena))
			return false;
	while (*(name = take_string(r))) {
		uint64_t directory = reader_uleb(r);

		reader_uleb(r);
		reader_uleb(r);
		if (!add_file(p, name, directory, arena))
			return false;
	}
	return !r->failed;
}

/* How the entries of a version 5 table are written. */
struct entry_format {
	unsigned count;
	struct abbrev_attr attr[MAX_FORMATS]; /* name: DW_LNCT_* */
};

static bool read_format(struct reader *r, const struct abbrevs *sizes,
			struct entry_format *f)
{
	f->count = reader_u8(r);
	if (f->count > MAX_FORMATS)
		return false;
	for (unsigned i = 0; i < f->count; i++) {
		uint64_t name = reader_uleb(r);
		uint64_t form = reader_uleb(r);

		if (form > UINT16_MAX || form == DW_FORM_implicit_const)
			return false;
		f->attr[i] = (struct abbrev_attr){
			.name = name > UINT16_MAX ? 0 : (uint16_t)name,
			.form = (uint16_t)form,
			.size = abbrev_form_size((uint16_t)form, sizes),
		};
	}
	return !r->failed;
}

static struct line_file read_entry(const struct dwarf_cu *cu, struct reader *r,
				   const struct entry_format *f)
{
	struct line_file entry = { .name = "" };

	for (unsigned i = 0; i < f->count; i++) {
		struct dwarf_value v = { 0 };

		value_read(cu, r, &f->attr[i], &v);
		if (f->attr[i].name == DW_LNCT_path && v.kind == VALUE_STRING)
			entry.name = v.text;
		if (f->attr[i].name == DW_LNCT_directory_index &&
		    v.kind == VALUE_CONSTANT)
			entry.directory = (uint32_t)v.number;
	}
	return entry;
}

/* A version 5 table: first of directories, then, once more, of files. */
static bool read_table5(struct line_program *p, const struct dwarf_cu *cu,
			struct reader *r, bool files, struct arena *arena)
{
	struct entry_format format;
	uint64_t count;

	if (!read_format(r, cu->abbrevs, &format))
		return false;
	count = reader_uleb(r);
	/* Every entry takes at least one byte, or the table is a fraud. */
	if (count > reader_left(r))
		return false;
	for (uint64_t i = 0; i < count && !r->failed; i++) {
		struct line_file e = read_entry(cu, r, &format);
		bool ok = files ? add_file(p, e.name, e.directory, arena)
				: add_directory(p, e.name, arena);

		if (!ok)
			return false;
	}
	return !r->failed;
}

/* Reads up to the name tables; false: malformed. */
static bool read_fixed_part(struct line_program *p, struct reader *r,
			    struct dwarf_unit *sizes)
{
	struct span header;
	uint64_t len;

	p->version = reader_u16(r);
	if (p->version < 2 || p->version > 5)
		return false;
	sizes->version = (uint8_t)p->version;
	if (p->version >= 5)
		reader_u16(r); /* sizes of address and segment selector */
	len = sizes->offset_size == 8 ? reader_u64(r) : reader_u32(r);
	header = reader_take(r, len);
	p->program = span_of(r->at, reader_left(r));
	if (r->failed)
		return false;

	*r = reader_of(header);
	p->instruction_size = reader_u8(r);
	if (p->version >= 4)
		reader_u8(r); /* operations per instruction, of VLIW machines */
	reader_u8(r);	      /* the initial statement mark */
	p->line_base = (int8_t)reader_u8(r);
	p->line_range = reader_u8(r);
	p->opcode_base = reader_u8(r);
	p->operand_counts = reader_take(r, p->opcode_base ? p->opcode_base - 1u
							  : 0);
	return !r->failed && p->line_range && p->opcode_base;
}

bool line_open(struct line_program *p, const struct dwarf_cu *cu,
	       uint64_t offset, struct arena *arena)
{
	struct span s = cu->file->line;
	struct dwarf_unit unit = *cu->unit;
	struct abbrevs sizes = { 0 };
	struct dwarf_cu local = *cu;
	struct reader r;
	uint64_t len;

	p->directories.count = 0;
	p->files.count = 0;
	if (offset >= s.len)
		return false;
	r = reader_of(span_part(s, offset, s.len - offset));
	len = reader_u32(&r);
	unit.offset_size = 4;
	if (len == 0xffffffff) {
		len = reader_u64(&r);
		unit.offset_size = 8;
	}
	r = reader_of(reader_take(&r, len));
	if (!read_fixed_part(p, &r, &unit))
		return false;
	if (p->version < 5)
		return read_names(p, &r, arena);

	sizes.offset_size = unit.offset_size;
	sizes.version = unit.version;
	local.unit = &unit;
	local.abbrevs = &sizes;
	return read_table5(p, &local, &r, false, arena) &&
	       read_table5(p, &local, &r, true, arena);
}

/* The registers of the state machine, and the sequence being written. */
struct machine {
	struct line_program *p;
	const struct code_area *area;
	struct arena *arena;
	uint64_t address;
	uint64_t file;
	uint64_t column;
	uint64_t line;
	uint32_t first; /* row of the sequence */
	bool open;	/* rows have been taken since the last end */
	bool dropped;	/* the sequence does not start in code */
	uint32_t low;
	bool failed; /* out of memory */
};

static void reset(struct machine *m)
{
	m->address = 0;
	m->file = 1;
	m->column = 0;
	m->line = 1;
	m->open = false;
	m->dropped = false;
	m->first = m->p->rows.count;
}

/* Whether the sequence is one to keep; asked at its first row. */
static bool begin(struct machine *m)
{
	uint32_t high;

	m->open = true;
	m->dropped = !code_area_clip(m->area, m->address, m->address + 1,
				     &m->low, &high);
	return !m->dropped;
}

static uint32_t place(const struct machine *m)
{
	uint64_t file = m->file <= LINE_FILE_MAX ? m->file : 0;
	uint64_t column = m->column <= LINE_COLUMN_MAX ? m->column : 0;

	return (uint32_t)(file << LINE_COLUMN_BITS | column);
}

static void emit_row(struct machine *m)
{
	struct line_program *p = m->p;
	uint64_t pc = m->address - m->area->base;
	struct line_row row = {
		.pc = (uint32_t)pc,
		.line = m->line <= UINT32_MAX ? (uint32_t)m->line : 0,
		.where = place(m),
	};
	struct line_row *last;

	if (m->open ? m->dropped : !begin(m))
		return;
	if (pc >= UINT32_MAX)
		return;
	last = p->rows.count > m->first ? &p->rows.at[p->rows.count - 1] : NULL;
	if (last && pc < last->pc)
		return;
	if (last && last->line == row.line && last->where == row.where)
		return;
	/* Of several rows for one address the last one counts. */
	if (!last || last->pc != row.pc)
		last = VEC_PUSH(&p->rows, m->arena);
	if (last)
		*last = row;
	else
		m->failed = true;
}

static void end_sequence(struct machine *m)
{
	struct line_program *p = m->p;
	uint64_t high = m->address - m->area->base;
	struct line_sequence *s;

	if (m->open && !m->dropped && p->rows.count > m->first &&
	    high > m->low && m->address > m->area->base) {
		s = VEC_PUSH(&p->sequences, m->arena);
		m->failed |= !s;
		if (s)
			*s = (struct line_sequence){
				.first = m->first,
				.count = p->rows.count - m->first,
				.low = p->rows.at[m->first].pc,
				.high = high < UINT32_MAX ? (uint32_t)high
							  : UINT32_MAX,
			};
	} else {
		p->rows.count = m->first;
	}
	reset(m);
}

static void run_extended(struct machine *m, struct reader *r)
{
	uint64_t len = reader_uleb(r);
	struct reader body = reader_of(reader_take(r, len));
	const char *name;

	switch (reader_u8(&body)) {
	case DW_LNE_end_sequence:
		end_sequence(m);
		break;
	case DW_LNE_set_address:
		m->address = reader_u64(&body);
		break;
	case DW_LNE_define_file:
		name = take_string(&body);
		m->failed |= !add_file(m->p, name, reader_uleb(&body),
				       m->arena);
		break;
	default:
		break;
	}
}

static void skip_operands(struct machine *m, struct reader *r, uint8_t opcode)
{
	unsigned count = m->p->operand_counts.at[opcode - 1];

	while (count--)
		reader_uleb(r);
}

static void run_standard(struct machine *m, struct reader *r, uint8_t opcode)
{
	const struct line_program *p = m->p;

	switch (opcode) {
	case DW_LNS_copy:
		emit_row(m);
		break;
	case DW_LNS_advance_pc:
		m->address += reader_uleb(r) * p->instruction_size;
		break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)reader_sleb(r);
		break;
	case DW_LNS_set_file:
		m->file = reader_uleb(r);
		break;
	case DW_LNS_set_column:
		m->column = reader_uleb(r);
		break;
	case DW_LNS_const_add_pc:
		m->address += (uint64_t)((255u - p->opcode_base) /
					 p->line_range) *
			      p->instruction_size;
		break;
	case DW_LNS_fixed_advance_pc:
		m->address += reader_u16(r);
		break;
	default:
		skip_operands(m, r, opcode);
	}
}

static void run_special(struct machine *m, uint8_t opcode)
{
	const struct line_program *p = m->p;
	unsigned adjusted = (unsigned)(opcode - p->opcode_base);

	m->address += (uint64_t)(adjusted / p->line_range) *
		      p->instruction_size;
	m->line += (uint64_t)(int64_t)(p->line_base +
				       (int)(adjusted % p->line_range));
	emit_row(m);
}

bool line_run(struct line_program *p, const struct code_area *area,
	      struct arena *arena)
{
	struct machine m = { .p = p, .area = area, .arena = arena };
	struct reader r = reader_of(p->program);

	p->rows.count = 0;
	p->sequences.count = 0;
	reset(&m);
	while (reader_left(&r) && !m.failed) {
		uint8_t opcode = reader_u8(&r);

		if (opcode >= p->opcode_base)
			run_special(&m, opcode);
		else if (opcode == 0)
			run_extended(&m, &r);
		else
			run_standard(&m, &r, opcode);
	}
	p->rows.count = m.first;
	return !m.failed;
}
