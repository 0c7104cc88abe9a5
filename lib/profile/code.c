/* SPDX-License-Identifier: MIT */
/*
 * What the name of a mapping tells about the code in it.  The names are those
 * that perf, samply and wick give.
 */
#include "profile/code.h"

#include <string.h>

#include "base/check.h"
#include "profile/node.h"

/* Addresses of the kernel are negative on the machines wick knows. */
#define KERNEL_START ((uint64_t)1 << 63)

static bool contains(struct span s, const char *part)
{
	return s.len && memmem(s.at, s.len, part, strlen(part));
}

static bool ends(struct span s, const char *suffix)
{
	size_t len = strlen(suffix);

	return s.len >= len && !memcmp(s.at + s.len - len, suffix, len);
}

static bool is_kernel(const struct mapping *m, struct span file,
		      struct span base)
{
	return m->kernel_symbol || m->start >= KERNEL_START ||
	       span_starts(file, "[kernel") ||
	       span_starts(file, "[guest.kernel") ||
	       span_starts(base, "vmlinux") || ends(base, ".ko") ||
	       contains(base, ".ko.");
}

static bool is_jit(struct span file, struct span base)
{
	return span_starts(file, CODE_JIT_FILE) ||
	       span_starts(base, "jitted-") ||
	       (span_starts(base, "perf-") && ends(base, ".map"));
}

enum code_kind mapping_code(const struct profile *p, mapping_id id)
{
	const struct mapping *m = &p->mappings.at[id];
	struct span file = str_span(p->strings, m->file);
	struct span base = path_base(file);

	if (is_kernel(m, file, base))
		return CODE_KERNEL;
	if (is_jit(file, base))
		return CODE_JIT;
	if (ends(base, ".so") || contains(base, ".so.") ||
	    span_starts(file, "[vdso]"))
		return CODE_LIBRARY;
	return CODE_PROGRAM;
}
