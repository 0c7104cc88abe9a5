/* SPDX-License-Identifier: MIT */
/* See caption.h. */
#include "picture/caption.h"

#include <string.h>

#include "base/sink.h"
#include "profile/node.h"
#include "profile/number.h"
#include "profile/profile.h"

static int64_t sum(const struct profile *p, uint32_t type)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		total += (uint64_t)profile_values(p, i)[type];
	return (int64_t)total;
}

struct extent extent_of(const struct profile *p, uint32_t type)
{
	const char *first = profile_text(p, p->types.at[0].type);
	bool counted = type > 0 && !strcmp(first, "samples");

	return (struct extent){
		.total = sum(p, type),
		.unit = profile_text(p, p->types.at[type].unit),
		.samples = counted ? sum(p, 0) : p->sample_count,
		.nanos = p->header.duration_nanos,
	};
}

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

void caption_extent(struct sink *out, const struct extent *e,
		    struct arena *arena)
{
	sink_format(out, "%s in %lld samples",
		    number_label(arena, e->total, e->unit, "auto"),
		    (long long)e->samples);
	if (e->nanos > 0)
		sink_format(out, ", %s long",
			    number_label(arena, e->nanos, "ns", "auto"));
}
