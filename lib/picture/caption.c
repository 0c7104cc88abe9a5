/* SPDX-License-Identifier: MIT */
/* See caption.h. */
#include "picture/caption.h"

#include "base/sink.h"
#include "profile/node.h"
#include "profile/number.h"
#include "profile/profile.h"

void caption_subject(struct sink *out, const struct profile *p,
		     const char *type)
{
	str_id file = p->mappings.count > 1 ? p->mappings.at[1].file : 0;

	sink_text(out, type);
	if (file) {
		sink_text(out, " of ");
		sink_span(out, path_base(str_span(p->strings, file)));
	}
}

void caption_extent(struct sink *out, const struct profile *p, int64_t total,
		    const char *unit, struct arena *arena)
{
	int64_t duration = p->header.duration_nanos;

	sink_format(out, "%s in %u samples",
		    number_label(arena, total, unit, "auto"), p->sample_count);
	if (duration > 0)
		sink_format(out, ", %s long",
			    number_label(arena, duration, "ns", "auto"));
}
