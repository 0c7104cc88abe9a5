/* SPDX-License-Identifier: MIT */
/*
 * Reading this process's memory for the sampler, which cannot fault, whoever
 * unmaps it meanwhile: the kernel copies it through a pipe.  process_vm_readv()
 * would do it in one call, but sandboxes kill whoever makes it.
 */
#ifndef WICK_AGENT_PEEK_H
#define WICK_AGENT_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes the pipe.  It belongs to the calling thread, which has its own table
 * of descriptors and alone may peek.  Without it nothing can be read.
 */
void peek_open(void);

/* Reads len bytes, or those up to where they cannot be; returns how many. */
size_t peek(uint64_t addr, void *to, size_t len);

static inline bool peek_word(uint64_t addr, uint64_t *value)
{
	return peek(addr, value, sizeof(*value)) == sizeof(*value);
}

#endif /* WICK_AGENT_PEEK_H */
