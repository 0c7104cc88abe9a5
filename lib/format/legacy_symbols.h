/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_SYMBOLS_H
#define WICK_FORMAT_LEGACY_SYMBOLS_H

#include "base/span.h"

struct error;
struct legacy_build;

/*
 * Reads what is left of a Java profile: lines that say what an address is.
 * Then numbers places and functions and forgets the addresses, which mean
 * nothing outside the virtual machine that they were in.  Other lines, and
 * addresses that no sample has, are skipped.  Returns 0, -EBADMSG if an address
 * does not fit 64 bits, or -ENOMEM.
 */
int legacy_read_symbols(struct legacy_build *b, struct span text,
			struct error *err);

#endif /* WICK_FORMAT_LEGACY_SYMBOLS_H */
