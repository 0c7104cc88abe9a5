/* SPDX-License-Identifier: MIT */
/*
 * The framing of call frame information: where entries start and end, and what
 * their heads say.  Their programs are run by program.c.  Everything here is
 * input from outside: each length is checked against what is left.
 */
#include "unwind/cfi.h"

#include <errno.h>

#include "unwind/opcodes.h"

enum { WIDE_LENGTH = 0xffffffff };

static uint64_t read_value(struct reader *r, unsigned format)
{
	switch (format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return reader_u64(r);
	case DW_EH_PE_uleb128:
		return reader_uleb(r);
	case DW_EH_PE_sleb128:
		return (uint64_t)reader_sleb(r);
	case DW_EH_PE_udata2:
		return reader_u16(r);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int64_t)(int16_t)reader_u16(r);
	case DW_EH_PE_udata4:
		return reader_u32(r);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)reader_u32(r);
	default:
		r->failed = true;
		return 0;
	}
}

uint64_t cfi_read_pointer(struct reader *r, const struct cfi_pointer *p)
{
	uint64_t here = p->section_addr + (uint64_t)(r->at - p->section_start);
	uint64_t value = read_value(r, p->encoding & 0x0f);

	switch (p->encoding & ~0x0f) {
	case 0:
		return value;
	case DW_EH_PE_pcrel:
		return value + here;
	case DW_EH_PE_datarel:
		return value + p->data_base;
	default:
		r->failed = true;
		return 0;
	}
}

static bool read_length(struct reader *r, uint64_t *length, bool *wide)
{
	*length = reader_u32(r);
	*wide = *length == WIDE_LENGTH;
	if (*wide)
		*length = reader_u64(r);
	return !r->failed && *length <= reader_left(r);
}

bool cfi_next(const struct cfi_section *s, uint64_t *offset,
	      struct cfi_entry *entry)
{
	struct reader r = reader_of(s->bytes);
	uint64_t length = 0;
	bool wide = false;

	(void)reader_take(&r, *offset); /* past the end: nothing is left */
	do {
		if (reader_left(&r) < 4) {
			*offset = s->bytes.len;
			return false;
		}
		entry->offset = (uint64_t)(r.at - s->bytes.at);
		if (!read_length(&r, &length, &wide))
			return false;
	} while (!length);

	entry->body = reader_take(&r, length);
	*offset = (uint64_t)(r.at - s->bytes.at);

	struct reader body = reader_of(entry->body);
	uint64_t id_at = (uint64_t)(body.at - s->bytes.at);
	/* In .eh_frame the id has four bytes even after a wide length. */
	bool wide_id = wide && s->debug;
	uint64_t id = wide_id ? reader_u64(&body) : reader_u32(&body);
	uint64_t cie_id = !s->debug ? 0 : wide_id ? UINT64_MAX : UINT32_MAX;

	entry->is_cie = id == cie_id;
	entry->cie = s->debug ? id : id_at - id;
	entry->body = span_of(body.at, reader_left(&body));
	return !body.failed;
}

static void skip_personality(struct reader *r)
{
	unsigned encoding = reader_u8(r);

	/* Only its size matters, and that is not relative to anything. */
	if (encoding == 0x50)
		r->failed = true;
	else if (encoding != DW_EH_PE_omit)
		(void)read_value(r, encoding & 0x0f);
}

/* The letters behind 'z'; one that is not known ends what is understood. */
static void read_augmentation(struct cfi_cie *cie, struct span letters,
			      struct reader data)
{
	for (size_t i = 1; i < letters.len && !data.failed; i++) {
		switch (letters.at[i]) {
		case 'R':
			cie->encoding = reader_u8(&data);
			break;
		case 'P':
			skip_personality(&data);
			break;
		case 'L':
			(void)reader_u8(&data);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* signed with the other key: stripped all the same */
		case 'G':
			break;
		default:
			return;
		}
	}
}

static struct span read_string(struct reader *r)
{
	const uint8_t *start = r->at;

	while (reader_u8(r))
		;
	return r->failed ? (struct span){ 0 }
			 : span_of(start, (size_t)(r->at - start) - 1);
}

int cfi_read_cie(const struct cfi_section *s, const struct cfi_entry *entry,
		 struct cfi_cie *cie)
{
	struct reader r = reader_of(entry->body);
	unsigned version = reader_u8(&r);
	struct span letters = read_string(&r);

	*cie = (struct cfi_cie){ .encoding = DW_EH_PE_absptr };
	if (!entry->is_cie || r.failed)
		return -EBADMSG;
	if (version != 1 && version != 3 && !(version == 4 && s->debug))
		return -EBADMSG;
	if (version == 4) {
		unsigned address_size = reader_u8(&r);
		unsigned segment_size = reader_u8(&r);

		if (address_size != 8 || segment_size)
			return -EBADMSG;
	}
	cie->code_align = reader_uleb(&r);
	cie->data_align = reader_sleb(&r);
	cie->ra = version == 1 ? reader_u8(&r) : reader_uleb(&r);
	if (letters.len) {
		if (letters.at[0] != 'z')
			return -EBADMSG;
		cie->augmented = true;
		read_augmentation(cie, letters,
				  reader_of(reader_take(&r, reader_uleb(&r))));
	}
	cie->program = span_of(r.at, reader_left(&r));
	return r.failed ? -EBADMSG : 0;
}

int cfi_read_fde(const struct cfi_section *s, const struct cfi_entry *entry,
		 const struct cfi_cie *cie, struct cfi_fde *fde)
{
	struct reader r = reader_of(entry->body);
	struct cfi_pointer p = { .section_start = s->bytes.at,
				 .section_addr = s->addr,
				 .encoding = cie->encoding };

	fde->lo = cfi_read_pointer(&r, &p);
	/* The second is a length: same size, relative to nothing. */
	uint64_t length = read_value(&r, cie->encoding & 0x0f);

	if (cie->augmented)
		(void)reader_take(&r, reader_uleb(&r));
	if (r.failed || __builtin_add_overflow(fde->lo, length, &fde->hi))
		return -EBADMSG;
	fde->program = span_of(r.at, reader_left(&r));
	return 0;
}

int cfi_from_header(const struct cfi_header *from, struct cfi_section *s)
{
	struct reader r = reader_of(from->hdr);
	struct cfi_pointer p = { .section_start = from->hdr.at,
				 .section_addr = from->hdr_addr,
				 .data_base = from->hdr_addr };
	unsigned version = reader_u8(&r);
	unsigned frame_encoding = reader_u8(&r);
	unsigned count_encoding = reader_u8(&r);
	unsigned table_encoding = reader_u8(&r);

	p.encoding = (uint8_t)frame_encoding;
	uint64_t frame = cfi_read_pointer(&r, &p);

	p.encoding = (uint8_t)count_encoding;
	uint64_t count = cfi_read_pointer(&r, &p);
	uint64_t offset = frame - from->segment_addr;

	if (r.failed || version != 1 || offset >= from->segment.len ||
	    table_encoding != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
	    count > reader_left(&r) / 8)
		return -EBADMSG;
	*s = (struct cfi_section){
		.bytes = span_part(from->segment, offset,
				   from->segment.len - offset),
		.addr = frame,
		.search = span_of(r.at, (size_t)count * 8),
		.search_base = from->hdr_addr,
	};
	return 0;
}
