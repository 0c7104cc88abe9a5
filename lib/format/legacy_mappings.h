/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_MAPPINGS_H
#define WICK_FORMAT_LEGACY_MAPPINGS_H

struct legacy_build;

/*
 * Joins entries of a memory map that are parts of one mapping, and moves the
 * program itself to the front.
 */
void legacy_clean_mappings(struct legacy_build *b);

/*
 * Finds the mapping of every place that samples use, widening mappings whose
 * first part is missing and adding a mapping of all addresses if some place
 * has no other.  An address of 0 has no mapping.
 */
void legacy_assign_mappings(struct legacy_build *b);

#endif /* WICK_FORMAT_LEGACY_MAPPINGS_H */
