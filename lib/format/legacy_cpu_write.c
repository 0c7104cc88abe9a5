/* SPDX-License-Identifier: MIT */
/*
 * gperftools' binary format of CPU profiles, written: a header, each stack with
 * its count, a trailer and the list of mappings.  It has addresses only; names
 * are found by whoever reads it, with the binaries at hand.
 */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "format/legacy.h"
#include "profile/profile.h"

static void word(struct sink *out, uint64_t value)
{
	sink_write(out, &value, sizeof(value));
}

/* Readers take one from the addresses of callers, which we did already. */
static void write_stack(const struct profile *p, const frame_id *frames,
			uint32_t depth, struct sink *out)
{
	word(out, depth);
	for (uint32_t i = 0; i < depth; i++)
		word(out, p->locations.at[frames[i]].address + (i > 0));
}

static int write_samples(const struct profile *p, struct sink *out,
			 struct arena *scratch)
{
	VEC(frame_id) frames = { 0 };

	for (uint32_t i = 0; i < p->sample_count; i++) {
		uint32_t depth = stack_depth(&p->stacks, p->stack[i]);
		int64_t count = profile_values(p, i)[0];

		frames.count = 0;
		if (!depth || count <= 0)
			continue;
		if (!VEC_RESERVE(&frames, scratch, depth))
			return -ENOMEM;
		stack_frames(&p->stacks, p->stack[i], frames.at, depth);
		word(out, (uint64_t)count);
		write_stack(p, frames.at, depth, out);
	}
	return 0;
}

static void write_mappings(const struct profile *p, struct sink *out)
{
	for (uint32_t i = 1; i < p->mappings.count; i++) {
		const struct mapping *m = &p->mappings.at[i];

		sink_format(out, "%08llx-%08llx r-xp %08llx 00:00 0 %s\n",
			    (unsigned long long)m->start,
			    (unsigned long long)m->limit,
			    (unsigned long long)m->offset,
			    profile_text(p, m->file));
	}
}

int legacy_cpu_write(const struct profile *p, struct sink *out,
		     struct error *err)
{
	const uint64_t header[] = { 0, 3, 0, (uint64_t)p->header.period / 1000,
				    0 };
	const uint64_t trailer[] = { 0, 1, 0 };
	struct arena scratch = { 0 };
	int r;

	sink_write(out, header, sizeof(header));
	r = write_samples(p, out, &scratch);
	arena_release(&scratch);
	if (r < 0)
		return error_set_errno(err, r, "cannot write the profile");
	sink_write(out, trailer, sizeof(trailer));
	write_mappings(p, out);
	return out->error;
}
