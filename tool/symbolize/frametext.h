/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_FRAMETEXT_H
#define WICK_SYMBOLIZE_FRAMETEXT_H

#include <stdint.h>

struct sink;
struct symbol_frame;

/*
 * Writes an address and the frames found for it (count may be 0) to a sink in
 * memory, as "addr2line -afi" prints them.
 */
void frametext_write(struct sink *to, uint64_t address,
		     const struct symbol_frame *frame, uint32_t count);

/* Writes the path of a frame's file. */
void frametext_path(struct sink *to, const struct symbol_frame *frame);

#endif /* WICK_SYMBOLIZE_FRAMETEXT_H */
