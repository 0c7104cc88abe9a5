/* SPDX-License-Identifier: MIT */
#ifndef WICK_ELF_INFLATE_H
#define WICK_ELF_INFLATE_H

#include "base/span.h"

struct arena;
struct elf;
struct elf_section;
struct error;

/*
 * A section's content, decompressed into the arena if it is compressed (zlib
 * or zstd by SHF_COMPRESSED, zlib by the old ".zdebug_" names), else as it
 * stands in the file.  Returns 0, -EBADMSG for data that does not decompress,
 * -ENOTSUP for an unknown method, -E2BIG for a size out of all proportion,
 * or -ENOMEM.  Not for signal handlers: the decompressors' libraries take
 * their own working memory.
 */
int elf_section_load(const struct elf *elf, const struct elf_section *section,
		     struct arena *arena, struct span *ret, struct error *err);

#endif /* WICK_ELF_INFLATE_H */
