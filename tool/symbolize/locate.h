/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_LOCATE_H
#define WICK_SYMBOLIZE_LOCATE_H

struct profile;
struct sink;

/*
 * Finds the files of a profile's mappings on this machine: in the folders of
 * $PPROF_BINARY_PATH (else ~/pprof/binaries), by build id and by name, and puts
 * the names of those found into the mappings.  Files of another build are
 * passed over with a remark on talk (or NULL).
 */
void locate_binaries(struct profile *p, struct sink *talk);

#endif /* WICK_SYMBOLIZE_LOCATE_H */
