/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_SIZE_H
#define WICK_COLLECT_SIZE_H

#include <stdint.h>

struct sink;

/* Writes a number of bytes for people: "812 bytes", "13 KB", "1.4 MB". */
void put_size(struct sink *out, uint64_t bytes);

#endif /* WICK_COLLECT_SIZE_H */
