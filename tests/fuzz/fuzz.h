/* SPDX-License-Identifier: MIT */
#ifndef WICK_FUZZ_H
#define WICK_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * What a fuzz target defines.  The bytes are all that it may depend on, so
 * that an input which breaks it once breaks it always.  Returns 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* WICK_FUZZ_H */
