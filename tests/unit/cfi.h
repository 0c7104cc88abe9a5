/* SPDX-License-Identifier: MIT */
/*
 * Call frame information written by hand, for tests: sections are put together
 * from CIEs and FDEs whose programs are given as bytes.
 */
#ifndef WICK_TEST_CFI_H
#define WICK_TEST_CFI_H

#include <string.h>

#include "unwind/cfi.h"
#include "unwind/compile.h"
#include "unwind/opcodes.h"

struct cfi_writer {
	uint8_t bytes[4096];
	size_t len;
	size_t entry; /* where the open entry starts */
};

#define PROGRAM(...) \
	(const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ })

static inline void put_bytes(struct cfi_writer *w, const void *p, size_t len)
{
	memcpy(w->bytes + w->len, p, len);
	w->len += len;
}

static inline void put_u8(struct cfi_writer *w, uint8_t value)
{
	put_bytes(w, &value, 1);
}

static inline void put_u32(struct cfi_writer *w, uint32_t value)
{
	put_bytes(w, &value, 4);
}

static inline void put_u64(struct cfi_writer *w, uint64_t value)
{
	put_bytes(w, &value, 8);
}

static inline void entry_start(struct cfi_writer *w)
{
	w->entry = w->len;
	put_u32(w, 0);
}

static inline void entry_end(struct cfi_writer *w)
{
	uint32_t length;

	while (w->len % 8)
		put_u8(w, DW_CFA_nop);
	length = (uint32_t)(w->len - w->entry - 4);
	memcpy(w->bytes + w->entry, &length, 4);
}

/* Version 1, addresses absolute; augmentation "zR" and what letters adds. */
static inline size_t put_cie(struct cfi_writer *w, const char *letters,
			     uint8_t ra, const uint8_t *program, size_t len)
{
	size_t at = w->len;

	entry_start(w);
	put_u32(w, 0);
	put_u8(w, 1);
	put_bytes(w, "zR", 2);
	put_bytes(w, letters, strlen(letters) + 1);
	put_u8(w, 1);	 /* code alignment */
	put_u8(w, 0x78); /* data alignment: -8 */
	put_u8(w, ra);
	put_u8(w, 1); /* length of what follows */
	put_u8(w, DW_EH_PE_absptr);
	put_bytes(w, program, len);
	entry_end(w);
	return at;
}

static inline void put_fde(struct cfi_writer *w, size_t cie, uint64_t lo,
			   const uint8_t *program, size_t len)
{
	entry_start(w);
	put_u32(w, (uint32_t)(w->len - cie));
	put_u64(w, lo);
	put_u64(w, 0x100); /* every function is as long */
	put_u8(w, 0);
	put_bytes(w, program, len);
	entry_end(w);
}

#endif /* WICK_TEST_CFI_H */
