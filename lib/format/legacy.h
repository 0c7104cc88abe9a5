/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_H
#define WICK_FORMAT_LEGACY_H

struct error;
struct format;
struct profile;
struct sink;

/*
 * The formats that profilers wrote before profile.proto: gperftools' binary
 * CPU profiles in either word size and byte order, its heap, growth and
 * contention texts, Go's text profiles, threadz, the Java agent's, and
 * jemalloc's heap dumps.  They carry addresses and (mostly) a memory map;
 * values are unsampled while reading, as pprof does.
 *
 * read() returns -ENOTSUP if no header fits, -EBADMSG if one does
 * but what follows is broken, -E2BIG if variables of a memory map expand
 * beyond reason, or -ENOMEM.
 */
extern const struct format format_legacy;

/*
 * Writes a CPU profile in gperftools' binary format: its first type as counts,
 * addresses without names.  Returns 0 or a negative errno.
 */
int legacy_cpu_write(const struct profile *p, struct sink *out,
		     struct error *err);

#endif /* WICK_FORMAT_LEGACY_H */
