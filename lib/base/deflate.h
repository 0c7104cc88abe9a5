/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_DEFLATE_H
#define WICK_BASE_DEFLATE_H

#include <libdeflate.h>

/*
 * libdeflate's compressors and decompressors, in memory from mmap(2): the
 * library may run where malloc must not be called.  Its allocator can only be
 * set for all objects at once, so every object must come from here; they are
 * released with libdeflate_free_compressor() and _decompressor().  NULL when
 * memory ran out.
 */
struct libdeflate_compressor *deflate_open(int level);
struct libdeflate_decompressor *inflate_open(void);

#endif /* WICK_BASE_DEFLATE_H */
