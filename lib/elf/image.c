/* SPDX-License-Identifier: MIT */
/*
 * ELF headers.  Every reader of object files starts here, so this is where
 * hostile or cut files are met first: each table is cut to what the file
 * holds, each offset is checked where it is used, and no header is cached in a
 * form that could outlive its check.
 */
#include "elf/image.h"

#include <elf.h>
#include <errno.h>

#include "base/error.h"

/* Copies a structure from the front of s; false if it is not all there. */
static bool copy_from(struct span s, void *to, size_t size)
{
	if (s.len < size)
		return false;
	memcpy(to, s.at, size);
	return true;
}

static int check_ident(struct span file, struct error *err)
{
	if (file.len < EI_NIDENT || memcmp(file.at, ELFMAG, SELFMAG) != 0)
		return error_set(err, -ENOEXEC, "not an ELF file");
	if (file.at[EI_CLASS] == ELFCLASS32)
		return error_set(err, -ENOTSUP,
				 "a 32-bit ELF file; wick reads 64-bit ones");
	if (file.at[EI_CLASS] != ELFCLASS64)
		return error_set(err, -ENOTSUP, "an ELF file of class %u",
				 file.at[EI_CLASS]);
	if (file.at[EI_DATA] == ELFDATA2MSB)
		return error_set(err, -ENOTSUP,
				 "a big-endian ELF file; wick reads "
				 "little-endian ones");
	if (file.at[EI_DATA] != ELFDATA2LSB)
		return error_set(err, -ENOTSUP, "an ELF file of byte order %u",
				 file.at[EI_DATA]);
	if (file.at[EI_VERSION] != EV_CURRENT)
		return error_set(err, -ENOTSUP, "an ELF file of version %u",
				 file.at[EI_VERSION]);
	return 0;
}

/*
 * Counts that do not fit the file header are in the first section header,
 * which is otherwise empty.
 */
static void read_counts(struct elf *elf, const Elf64_Ehdr *header,
			uint32_t *names)
{
	Elf64_Shdr first;

	elf->section_count = header->e_shnum;
	elf->segment_count = header->e_phnum;
	*names = header->e_shstrndx;
	if (!header->e_shoff ||
	    !copy_from(span_part(elf->file, header->e_shoff, sizeof(first)),
		       &first, sizeof(first)))
		return;

	if (elf->section_count == 0 && first.sh_size < UINT32_MAX)
		elf->section_count = (uint32_t)first.sh_size;
	if (elf->segment_count == PN_XNUM)
		elf->segment_count = first.sh_info;
	if (*names == SHN_XINDEX)
		*names = first.sh_link;
}

/* The table of count entries at offset, or as many of them as there are. */
static struct span header_table(struct elf *elf, uint64_t offset,
				uint32_t *count, size_t entry)
{
	uint64_t room;

	if (!offset || !*count) {
		*count = 0;
		return (struct span){ 0 };
	}
	room = offset < elf->file.len ? (elf->file.len - offset) / entry : 0;
	if (*count > room) {
		elf->truncated = true;
		*count = (uint32_t)room;
	}
	return span_part(elf->file, offset, *count * (uint64_t)entry);
}

/* Cuts a string table behind its last NUL, so that every offset in it is
 * the start of a terminated string. */
static struct span terminated(struct span strings)
{
	while (strings.len && strings.at[strings.len - 1] != '\0')
		strings.len--;
	return strings;
}

int elf_open(struct elf *elf, struct span file, struct error *err)
{
	Elf64_Ehdr header;
	struct elf_section names;
	uint32_t name_index;
	int r;

	r = check_ident(file, err);
	if (r < 0)
		return r;
	if (!copy_from(file, &header, sizeof(header)))
		return error_set(err, -ENOEXEC,
				 "an ELF file cut in its header");

	*elf = (struct elf){
		.file = file,
		.type = header.e_type,
		.machine = header.e_machine,
		.entry = header.e_entry,
	};
	read_counts(elf, &header, &name_index);
	if (header.e_shentsize != sizeof(Elf64_Shdr))
		elf->section_count = 0;
	if (header.e_phentsize != sizeof(Elf64_Phdr))
		elf->segment_count = 0;
	elf->sections = header_table(elf, header.e_shoff, &elf->section_count,
				     sizeof(Elf64_Shdr));
	elf->segments = header_table(elf, header.e_phoff, &elf->segment_count,
				     sizeof(Elf64_Phdr));
	if (elf_section_at(elf, name_index, &names))
		elf->names = terminated(elf_section_bytes(elf, &names));
	return 0;
}

bool elf_section_at(const struct elf *elf, uint32_t i, struct elf_section *ret)
{
	Elf64_Shdr header;

	if (i >= elf->section_count)
		return false;
	memcpy(&header, elf->sections.at + (size_t)i * sizeof(header),
	       sizeof(header));
	*ret = (struct elf_section){
		.name = header.sh_name < elf->names.len
				? (const char *)elf->names.at + header.sh_name
				: "",
		.flags = header.sh_flags,
		.address = header.sh_addr,
		.offset = header.sh_offset,
		.size = header.sh_size,
		.entry_size = header.sh_entsize,
		.type = header.sh_type,
		.link = header.sh_link,
		.info = header.sh_info,
		.index = i,
	};
	return true;
}

bool elf_segment_at(const struct elf *elf, uint32_t i, struct elf_segment *ret)
{
	Elf64_Phdr header;

	if (i >= elf->segment_count)
		return false;
	memcpy(&header, elf->segments.at + (size_t)i * sizeof(header),
	       sizeof(header));
	*ret = (struct elf_segment){
		.offset = header.p_offset,
		.address = header.p_vaddr,
		.file_size = header.p_filesz,
		.memory_size = header.p_memsz,
		.type = header.p_type,
		.flags = header.p_flags,
	};
	return true;
}

bool elf_find_section(const struct elf *elf, const char *name,
		      struct elf_section *ret)
{
	for (uint32_t i = 1; elf_section_at(elf, i, ret); i++)
		if (strcmp(ret->name, name) == 0)
			return true;
	return false;
}

bool elf_find_type(const struct elf *elf, uint32_t type,
		   struct elf_section *ret)
{
	for (uint32_t i = 1; elf_section_at(elf, i, ret); i++)
		if (ret->type == type)
			return true;
	return false;
}

bool elf_find_segment(const struct elf *elf, uint32_t type,
		      struct elf_segment *ret)
{
	for (uint32_t i = 0; elf_segment_at(elf, i, ret); i++)
		if (ret->type == type)
			return true;
	return false;
}

struct span elf_section_bytes(const struct elf *elf,
			      const struct elf_section *section)
{
	if (section->type == SHT_NOBITS || section->type == SHT_NULL)
		return (struct span){ 0 };
	return span_part(elf->file, section->offset, section->size);
}

struct span elf_segment_bytes(const struct elf *elf,
			      const struct elf_segment *segment)
{
	return span_part(elf->file, segment->offset, segment->file_size);
}

struct span elf_bytes_from(const struct elf *elf, uint64_t address)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++) {
		struct span bytes;

		if (s.type != PT_LOAD || address < s.address ||
		    address - s.address >= s.file_size)
			continue;
		bytes = elf_segment_bytes(elf, &s);
		return span_part(bytes, address - s.address,
				 bytes.len ? bytes.len - (address - s.address)
					   : 0);
	}
	return (struct span){ 0 };
}

struct span elf_bytes_at(const struct elf *elf, uint64_t address, uint64_t len)
{
	return span_part(elf_bytes_from(elf, address), 0, len);
}

bool elf_offset_to_address(const struct elf *elf, uint64_t offset,
			   uint64_t *ret)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++) {
		if (s.type != PT_LOAD || offset < s.offset ||
		    offset - s.offset >= s.file_size)
			continue;
		*ret = s.address + (offset - s.offset);
		return true;
	}
	return false;
}

bool elf_code_mapping_address(const struct elf *elf, uint64_t offset,
			      uint64_t *ret)
{
	const uint64_t largest_page = 64 * 1024;
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++) {
		if (s.type != PT_LOAD || !(s.flags & PF_X) ||
		    (offset < s.offset && s.offset - offset >= largest_page) ||
		    (offset >= s.offset && offset - s.offset >= s.file_size))
			continue;
		*ret = s.address + (offset - s.offset);
		return true;
	}
	return false;
}

uint64_t elf_lowest_address(const struct elf *elf)
{
	uint64_t lowest = UINT64_MAX;
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++)
		if (s.type == PT_LOAD && s.address < lowest)
			lowest = s.address;
	return lowest == UINT64_MAX ? 0 : lowest;
}

/* 1 or 0: what the sections say; -1: no section is executable. */
static int code_by_sections(const struct elf *elf, uint64_t address)
{
	const uint64_t want = SHF_ALLOC | SHF_EXECINSTR;
	struct elf_section s;
	int answer = -1;

	for (uint32_t i = 1; elf_section_at(elf, i, &s); i++) {
		if ((s.flags & want) != want)
			continue;
		if (address >= s.address && address - s.address < s.size)
			return 1;
		answer = 0;
	}
	return answer;
}

bool elf_is_code(const struct elf *elf, uint64_t address)
{
	int answer = code_by_sections(elf, address);
	struct elf_segment s;

	if (answer >= 0)
		return answer;
	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++)
		if (s.type == PT_LOAD && (s.flags & PF_X) &&
		    address >= s.address && address - s.address < s.memory_size)
			return true;
	return false;
}
