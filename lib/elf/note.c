/* SPDX-License-Identifier: MIT */
/*
 * Notes, and above all build ids: the only sure sign that the file on disk is
 * the file that ran.  Notes are looked for in segments first, because those
 * survive stripping and are what a mapped image has.
 */
#include "elf/note.h"

#include <elf.h>

#include "elf/image.h"

/* Drops the padding behind len bytes; there may be none at the very end. */
static void skip_padding(struct reader *r, uint64_t len, unsigned align)
{
	uint64_t padding = -len & (align - 1);

	if (padding > reader_left(r))
		padding = reader_left(r);
	reader_take(r, padding);
}

bool elf_note_next(struct reader *notes, unsigned align, struct elf_note *ret)
{
	uint32_t owner_len = reader_u32(notes);
	uint32_t body_len = reader_u32(notes);
	uint32_t type = reader_u32(notes);
	struct span owner = reader_take(notes, owner_len);
	struct span body;

	skip_padding(notes, sizeof(Elf64_Nhdr) + owner_len, align);
	body = reader_take(notes, body_len);
	skip_padding(notes, body_len, align);
	if (notes->failed)
		return false;

	while (owner.len && owner.at[owner.len - 1] == '\0')
		owner.len--;
	*ret = (struct elf_note){ .owner = owner, .body = body, .type = type };
	return true;
}

static bool find_in(struct span notes, unsigned align, const char *owner,
		    struct elf_note *ret)
{
	struct reader r = reader_of(notes);
	uint32_t type = ret->type;

	while (elf_note_next(&r, align, ret))
		if (ret->type == type &&
		    span_equal(ret->owner, span_text(owner)))
			return true;
	ret->type = type;
	return false;
}

bool elf_find_note(const struct elf *elf, const char *owner, uint32_t type,
		   struct elf_note *ret)
{
	struct elf_segment segment;
	struct elf_section section;

	*ret = (struct elf_note){ .type = type };
	for (uint32_t i = 0; elf_segment_at(elf, i, &segment); i++) {
		struct span notes = elf_segment_bytes(elf, &segment);

		if (segment.type == PT_NOTE && (find_in(notes, 4, owner, ret) ||
						find_in(notes, 8, owner, ret)))
			return true;
	}
	for (uint32_t i = 1; elf_section_at(elf, i, &section); i++)
		if (section.type == SHT_NOTE &&
		    find_in(elf_section_bytes(elf, &section), 4, owner, ret))
			return true;
	return false;
}

struct build_id build_id_make(struct span bytes)
{
	struct build_id id = { 0 };

	if (!bytes.len || bytes.len > BUILD_ID_MAX)
		return id;
	memcpy(id.byte, bytes.at, bytes.len);
	id.len = (uint8_t)bytes.len;
	return id;
}

bool build_id_in_notes(struct span notes, struct build_id *ret)
{
	struct elf_note note = { .type = NT_GNU_BUILD_ID };

	if (!find_in(notes, 4, ELF_NOTE_GNU, &note))
		return false;
	*ret = build_id_make(note.body);
	return ret->len > 0;
}

bool build_id_of(const struct elf *elf, struct build_id *ret)
{
	struct elf_note note;

	if (!elf_find_note(elf, ELF_NOTE_GNU, NT_GNU_BUILD_ID, &note))
		return false;
	*ret = build_id_make(note.body);
	return ret->len > 0;
}

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool build_id_parse(struct span text, struct build_id *ret)
{
	struct build_id id = { 0 };

	if (!text.len || text.len % 2 || text.len / 2 > BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < text.len; i += 2) {
		int high = hex_digit(text.at[i]);
		int low = hex_digit(text.at[i + 1]);

		if (high < 0 || low < 0)
			return false;
		id.byte[id.len++] = (uint8_t)(high << 4 | low);
	}
	*ret = id;
	return true;
}

char *build_id_text(const struct build_id *id, char buf[BUILD_ID_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	char *to = buf;

	for (unsigned i = 0; i < id->len; i++) {
		*to++ = digits[id->byte[i] >> 4];
		*to++ = digits[id->byte[i] & 15];
	}
	*to = '\0';
	return buf;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	return a->len && a->len == b->len &&
	       memcmp(a->byte, b->byte, a->len) == 0;
}
