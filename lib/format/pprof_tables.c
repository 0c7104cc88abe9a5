/* SPDX-License-Identifier: MIT */
/*
 * The tables of a pprof profile: strings, types, mappings, functions and
 * locations, and what is said of the profile as a whole.  Rows keep the ids
 * that the file gives them.  A reference to a mapping that is not there counts
 * as none, as in pprof; profile_check() refuses what else is missing.
 */
#include <errno.h>
#include <stdbool.h>

#include "base/check.h"
#include "format/pprof_decode.h"
#include "format/proto.h"
#include "profile/profile.h"

static int decode_string(struct pprof_decoder *d, const struct proto_field *f)
{
	str_id *id = VEC_PUSH(&d->strings, &d->scratch);

	if (!id)
		return pprof_no_memory(d);
	*id = strtab_add_span(d->profile->strings, f->bytes);
	return 0;
}

static int decode_value_type(struct pprof_decoder *d, struct span message,
			     struct value_type *ret)
{
	uint64_t n[PPROF_TYPE_END] = { 0 };

	if (!proto_numbers(message, n, PPROF_TYPE_END))
		return pprof_damaged(d);
	return pprof_string(d, n[PPROF_TYPE_TYPE], &ret->type)
		       ?: pprof_string(d, n[PPROF_TYPE_UNIT], &ret->unit);
}

static int decode_sample_type(struct pprof_decoder *d,
			      const struct proto_field *f)
{
	struct value_type *t = VEC_PUSH(&d->profile->types, d->profile->arena);

	return t ? decode_value_type(d, f->bytes, t) : pprof_no_memory(d);
}

/*
 * Remembers that the file calls row by id.  Ids that are 0 or taken are left
 * to profile_check(), which names them.
 */
static int add_id(struct pprof_decoder *d, struct idmap *ids, uint64_t id,
		  uint32_t row)
{
	if (!row)
		return pprof_no_memory(d);
	if (!id || idmap_find(ids, id))
		return 0;
	return idmap_add(ids, id, row) < 0 ? pprof_no_memory(d) : 0;
}

/*
 * Some recorders name the symbol that the kernel's addresses are relative to
 * behind its file name.
 */
static str_id kernel_symbol(struct profile *p, str_id file)
{
	static const char prefix[] = "[kernel.kallsyms]";
	struct span name = str_span(p->strings, file);
	size_t skip = sizeof(prefix) - 1;

	if (!span_starts(name, prefix))
		return 0;
	return strtab_add_span(p->strings,
			       span_part(name, skip, name.len - skip));
}

static uint32_t mapping_flags(const uint64_t *n)
{
	static const struct {
		enum pprof_mapping field;
		enum mapping_flags flag;
	} known[] = {
		{ PPROF_MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FUNCTIONS },
		{ PPROF_MAPPING_HAS_FILENAMES, MAPPING_HAS_FILENAMES },
		{ PPROF_MAPPING_HAS_LINE_NUMBERS, MAPPING_HAS_LINE_NUMBERS },
		{ PPROF_MAPPING_HAS_INLINE_FRAMES, MAPPING_HAS_INLINE_FRAMES },
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (n[known[i].field])
			flags |= known[i].flag;
	return flags;
}

static int decode_mapping(struct pprof_decoder *d, const struct proto_field *f)
{
	uint64_t n[PPROF_MAPPING_END] = { 0 };
	struct mapping m;
	int r;

	if (!proto_numbers(f->bytes, n, PPROF_MAPPING_END))
		return pprof_damaged(d);
	m = (struct mapping){
		.id = n[PPROF_MAPPING_ID],
		.start = n[PPROF_MAPPING_START],
		.limit = n[PPROF_MAPPING_LIMIT],
		.offset = n[PPROF_MAPPING_OFFSET],
		.flags = mapping_flags(n),
	};
	r = pprof_string(d, n[PPROF_MAPPING_FILE], &m.file)
		    ?: pprof_string(d, n[PPROF_MAPPING_BUILD_ID], &m.build_id);
	if (r < 0)
		return r;
	m.kernel_symbol = kernel_symbol(d->profile, m.file);
	return add_id(d, &d->mappings, m.id,
		      profile_add_mapping(d->profile, m));
}

static int decode_function(struct pprof_decoder *d, const struct proto_field *f)
{
	uint64_t n[PPROF_FUNCTION_END] = { 0 };
	struct function function;
	int r;

	if (!proto_numbers(f->bytes, n, PPROF_FUNCTION_END))
		return pprof_damaged(d);
	function = (struct function){
		.id = n[PPROF_FUNCTION_ID],
		.start_line = (int64_t)n[PPROF_FUNCTION_START_LINE],
	};
	r = pprof_string(d, n[PPROF_FUNCTION_NAME], &function.name)
		?: pprof_string(d, n[PPROF_FUNCTION_SYSTEM_NAME],
				&function.system_name)
		?: pprof_string(d, n[PPROF_FUNCTION_FILE], &function.file);
	if (r < 0)
		return r;
	return add_id(d, &d->functions, function.id,
		      profile_add_function(d->profile, function));
}

static bool decode_line(struct pprof_decoder *d, struct span message)
{
	struct line *line = VEC_PUSH(&d->lines, &d->scratch);
	uint64_t n[PPROF_LINE_END] = { 0 };

	if (!line || !proto_numbers(message, n, PPROF_LINE_END))
		return false;
	*line = (struct line){
		.function = idmap_find(&d->functions, n[PPROF_LINE_FUNCTION]),
		.line = (int64_t)n[PPROF_LINE_LINE],
		.column = (int64_t)n[PPROF_LINE_COLUMN],
	};
	return true;
}

/* Into l and the decoder's lines; false if it is damaged. */
static bool decode_location_field(struct pprof_decoder *d,
				  const struct proto_field *f,
				  struct location *l)
{
	if (f->number == PPROF_LOCATION_LINE)
		return f->wire == PROTO_BYTES && decode_line(d, f->bytes);
	if (!f->number || f->number > PPROF_LOCATION_FOLDED)
		return true;
	if (f->wire != PROTO_VARINT)
		return false;
	switch ((enum pprof_location)f->number) {
	case PPROF_LOCATION_ID:
		l->id = f->value;
		break;
	case PPROF_LOCATION_MAPPING:
		l->mapping = idmap_find(&d->mappings, f->value);
		break;
	case PPROF_LOCATION_ADDRESS:
		l->address = f->value;
		break;
	default:
		l->folded = f->value != 0;
	}
	return true;
}

static int decode_location(struct pprof_decoder *d, const struct proto_field *f)
{
	struct reader r = reader_of(f->bytes);
	struct proto_field part;
	struct location l = { 0 };
	location_id row;

	d->lines.count = 0;
	while (proto_next(&r, &part))
		if (!decode_location_field(d, &part, &l))
			return pprof_damaged(d);
	if (r.failed)
		return pprof_damaged(d);
	row = profile_add_location(d->profile, l, d->lines.at, d->lines.count);
	return add_id(d, &d->locations, l.id, row);
}

static int add_comment(struct pprof_decoder *d, uint64_t index)
{
	str_id *c = VEC_PUSH(&d->profile->comments, d->profile->arena);

	return c ? pprof_string(d, index, c) : pprof_no_memory(d);
}

/* One index, or several packed together. */
static int decode_comment(struct pprof_decoder *d, const struct proto_field *f)
{
	struct reader r = reader_of(f->bytes);
	int ret = 0;

	if (f->wire == PROTO_VARINT)
		return add_comment(d, f->value);
	while (ret == 0 && reader_left(&r)) {
		uint64_t index = proto_varint(&r);

		ret = r.failed ? pprof_damaged(d) : add_comment(d, index);
	}
	return ret;
}

static int header_string(struct pprof_decoder *d, enum pprof_profile field,
			 const char *what, str_id *ret)
{
	d->what = what;
	return pprof_string(d, d->number[field], ret);
}

static int decode_header(struct pprof_decoder *d)
{
	struct profile_header *h = &d->profile->header;
	int r;

	h->time_nanos = (int64_t)d->number[PPROF_TIME];
	h->duration_nanos = (int64_t)d->number[PPROF_DURATION];
	h->period = (int64_t)d->number[PPROF_PERIOD];
	d->ordinal = 0;
	r = header_string(d, PPROF_DROP_FRAMES, "drop_frames", &h->drop_frames)
		?: header_string(d, PPROF_KEEP_FRAMES, "keep_frames",
				 &h->keep_frames)
		?: header_string(d, PPROF_DEFAULT_TYPE, "default_sample_type",
				 &h->default_type)
		?: header_string(d, PPROF_DOC_URL, "doc_url", &h->doc_url);
	if (r < 0)
		return r;
	d->what = "period_type";
	return decode_value_type(d, d->period_type, &h->period_type);
}

/*
 * Room for all rows at once.  Counts come from the file, but each stands for
 * bytes that are there.
 */
static int reserve(struct pprof_decoder *d)
{
	struct profile *p = d->profile;
	uint64_t mappings = d->section[PPROF_MAPPING].count;
	uint64_t functions = d->section[PPROF_FUNCTION].count;
	uint64_t locations = d->section[PPROF_LOCATION].count;

	if (!VEC_RESERVE(&d->strings, &d->scratch,
			 d->section[PPROF_STRING].count) ||
	    !VEC_RESERVE(&p->mappings, p->arena, mappings) ||
	    !VEC_RESERVE(&p->functions, p->arena, functions) ||
	    !VEC_RESERVE(&p->locations, p->arena, locations) ||
	    !VEC_RESERVE(&p->lines, p->arena, locations))
		return pprof_no_memory(d);
	/* That the counts fit in 32 bits is known now. */
	if (idmap_init(&d->mappings, &d->scratch, (uint32_t)mappings) < 0 ||
	    idmap_init(&d->functions, &d->scratch, (uint32_t)functions) < 0 ||
	    idmap_init(&d->locations, &d->scratch, (uint32_t)locations) < 0)
		return pprof_no_memory(d);
	return 0;
}

int pprof_decode_tables(struct pprof_decoder *d)
{
	static const struct {
		enum pprof_profile field;
		const char *what;
		pprof_decode *decode;
	} tables[] = {
		/* Each refers only to those before it. */
		{ PPROF_STRING, "string", decode_string },
		{ PPROF_SAMPLE_TYPE, "sample type", decode_sample_type },
		{ PPROF_MAPPING, "mapping", decode_mapping },
		{ PPROF_FUNCTION, "function", decode_function },
		{ PPROF_LOCATION, "location", decode_location },
		{ PPROF_COMMENT, "comment", decode_comment },
	};
	int r = reserve(d);

	for (size_t i = 0; i < ARRAY_SIZE(tables) && r == 0; i++)
		r = pprof_each(d, tables[i].field, tables[i].what,
			       tables[i].decode);
	return r ? r : decode_header(d);
}
