/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_CFI_H
#define WICK_UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/*
 * A .eh_frame or .debug_frame section.  The two hold the same entries: a CIE
 * with what many functions have in common, an FDE for each function.  bytes
 * belongs to the caller.  Nothing in it is trusted.
 */
struct cfi_section {
	struct span bytes;
	uint64_t addr; /* of the first byte, in the object's address space */
	bool debug;    /* .debug_frame */

	/*
	 * The sorted pairs of .eh_frame_hdr, for sections whose end is not
	 * known; empty: the entries are found by reading on.
	 */
	struct span search;
	uint64_t search_base;
};

/*
 * Finds .eh_frame through .eh_frame_hdr, whose address is hdr_addr: all there
 * is in objects without section headers.  segment is the loaded segment that
 * holds both, segment_addr its address.  Returns 0 or -EBADMSG.
 */
struct cfi_header {
	struct span hdr;
	uint64_t hdr_addr;
	struct span segment;
	uint64_t segment_addr;
};

int cfi_from_header(const struct cfi_header *from, struct cfi_section *s);

/* One entry, not yet looked into. */
struct cfi_entry {
	uint64_t offset; /* in the section */
	uint64_t cie;	 /* of an FDE: where its CIE is */
	struct span body;
	bool is_cie;
};

struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra; /* the register that stands for the return address */
	struct span program;
	uint8_t encoding; /* of the FDEs' addresses */
	bool augmented;	  /* FDEs carry a length of data to skip */
	bool signal;	  /* frames are entered by a signal, not by a call */
};

struct cfi_fde {
	uint64_t lo;
	uint64_t hi; /* lo <= hi */
	struct span program;
};

/*
 * Reads the entry at *offset and moves *offset behind it.  Zero lengths, which
 * old start files leave in the middle of a section, are skipped.  Returns
 * false at the end, or where no entry can start.
 */
bool cfi_next(const struct cfi_section *s, uint64_t *offset,
	      struct cfi_entry *entry);

/* Returns 0, or -EBADMSG if it is damaged or in no known dialect. */
int cfi_read_cie(const struct cfi_section *s, const struct cfi_entry *entry,
		 struct cfi_cie *cie);
int cfi_read_fde(const struct cfi_section *s, const struct cfi_entry *entry,
		 const struct cfi_cie *cie, struct cfi_fde *fde);

/*
 * Reads an encoded pointer of .eh_frame or .eh_frame_hdr.  section_addr is the
 * address of section_start in the object; data_base is what "relative to data"
 * means.  Pointers through memory set failed: they need a running program.
 */
struct cfi_pointer {
	const uint8_t *section_start;
	uint64_t section_addr;
	uint64_t data_base;
	uint8_t encoding;
};

uint64_t cfi_read_pointer(struct reader *r, const struct cfi_pointer *p);

#endif /* WICK_UNWIND_CFI_H */
