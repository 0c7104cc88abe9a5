/* SPDX-License-Identifier: MIT */
/* See caption.h. */
#include "picture/caption.h"

#include "base/sink.h"
#include "profile/node.h"
#include "profile/number.h"
#include "profile/profile.h"

static str_id text_label(const struct profile *p, labels_id set, str_id key)
{
	uint32_t count;
	const struct label *l = labels_get(&p->label_sets, set, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!l[i].numeric && l[i].key == key)
			return l[i].text;
	return 0;
}

/* The name of the process that all samples are of; 0: there is no such. */
static str_id only_process(const struct profile *p)
{
	str_id key = strtab_find(p->strings, "process", 7);
	str_id only = 0;

	for (uint32_t i = 1; key && i < p->label_sets.sets.count; i++) {
		str_id name = text_label(p, i, key);

		if (!name || (only && name != only))
			return 0;
		only = name;
	}
	return only;
}

/* A file may have several names, so what the process is called comes first. */
void caption_subject(struct sink *out, const struct profile *p,
		     const char *type)
{
	str_id file = only_process(p);

	if (!file && p->mappings.count > 1)
		file = p->mappings.at[1].file;
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
