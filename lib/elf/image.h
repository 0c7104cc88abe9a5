/* SPDX-License-Identifier: MIT */
#ifndef WICK_ELF_IMAGE_H
#define WICK_ELF_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct error;

/*
 * A checked view of an ELF file that somebody holds in memory: 64 bits, little
 * endian; anything else is refused.  The view borrows the bytes and owns
 * nothing, so it may be copied, shared between threads, and needs no release.
 * Nothing in the file is believed: a header that points outside the file reads
 * as an absent one.
 */
struct elf {
	struct span file;
	struct span sections; /* the header table; empty if there is none */
	struct span segments;
	struct span names; /* of sections; ends with a NUL or is empty */
	uint64_t entry;
	uint32_t section_count;
	uint32_t segment_count;
	uint16_t type;	  /* ET_EXEC, ET_DYN, ET_REL, ET_CORE */
	uint16_t machine; /* EM_X86_64, EM_AARCH64, ... */
	bool truncated;	  /* a header table lies outside the file */
};

struct elf_section {
	const char *name; /* "" if it has none that can be read */
	uint64_t flags;
	uint64_t address;
	uint64_t offset;
	uint64_t size;
	uint64_t entry_size;
	uint32_t type;
	uint32_t link;
	uint32_t info;
	uint32_t index;
};

struct elf_segment {
	uint64_t offset;
	uint64_t address;
	uint64_t file_size;
	uint64_t memory_size;
	uint32_t type;
	uint32_t flags;
};

/*
 * Opens the image in file.  Returns 0, -ENOEXEC if it is not ELF, or -ENOTSUP
 * if it is ELF of a kind that wick does not read; the sentence does not name
 * the file.
 */
int elf_open(struct elf *elf, struct span file, struct error *err);

/* The i-th header; false if there is no such. */
bool elf_section_at(const struct elf *elf, uint32_t i, struct elf_section *ret);
bool elf_segment_at(const struct elf *elf, uint32_t i, struct elf_segment *ret);

/* The first section of that name or of that type; false if there is none. */
bool elf_find_section(const struct elf *elf, const char *name,
		      struct elf_section *ret);
bool elf_find_type(const struct elf *elf, uint32_t type,
		   struct elf_section *ret);

/* The first segment of that type; false if there is none. */
bool elf_find_segment(const struct elf *elf, uint32_t type,
		      struct elf_segment *ret);

/*
 * A section's bytes as they stand in the file, compressed or not; empty if it
 * has none there (SHT_NOBITS) or is not all inside the file.
 */
struct span elf_section_bytes(const struct elf *elf,
			      const struct elf_section *section);

/* The bytes of a segment that are in the file; empty if not all are. */
struct span elf_segment_bytes(const struct elf *elf,
			      const struct elf_segment *segment);

/* len bytes at a virtual address, from the file; empty if not all there. */
struct span elf_bytes_at(const struct elf *elf, uint64_t address, uint64_t len);

/* What the file has from a virtual address to the end of its segment. */
struct span elf_bytes_from(const struct elf *elf, uint64_t address);

/*
 * Translates an offset in the file (as a memory mapping gives it) to the
 * virtual address that the file's own tables use.  False: no segment has it.
 */
bool elf_offset_to_address(const struct elf *elf, uint64_t offset,
			   uint64_t *ret);

/*
 * The same for the start of an executable mapping, whose offset is that of a
 * page: the page may be the last one of the segment before as well, and its
 * beginning not be in the segment at all.
 */
bool elf_code_mapping_address(const struct elf *elf, uint64_t offset,
			      uint64_t *ret);

/* The lowest address of a loadable segment; 0 if there is none. */
uint64_t elf_lowest_address(const struct elf *elf);

/* Whether code may lie at address: an executable section or segment. */
bool elf_is_code(const struct elf *elf, uint64_t address);

#endif /* WICK_ELF_IMAGE_H */
