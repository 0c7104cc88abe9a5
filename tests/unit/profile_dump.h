/* SPDX-License-Identifier: MIT */
/*
 * A profile as text, with all that a format must keep and nothing else: two
 * profiles are the same if these are.  For tests of what is written and read
 * again, and for their fuzz targets.
 */
#ifndef WICK_TEST_PROFILE_DUMP_H
#define WICK_TEST_PROFILE_DUMP_H

#include "base/sink.h"
#include "profile/profile.h"

static void dump_string(struct sink *out, const struct profile *p, str_id id)
{
	sink_format(out, " '");
	sink_span(out, str_span(p->strings, id));
	sink_char(out, '\'');
}

static void dump_number(struct sink *out, int64_t number)
{
	sink_format(out, " %lld", (long long)number);
}

static void dump_type(struct sink *out, const struct profile *p,
		      struct value_type t)
{
	dump_string(out, p, t.type);
	dump_string(out, p, t.unit);
}

static void dump_header(struct sink *out, const struct profile *p)
{
	const struct profile_header *h = &p->header;

	sink_text(out, "header");
	dump_number(out, h->time_nanos);
	dump_number(out, h->duration_nanos);
	dump_number(out, h->period);
	dump_type(out, p, h->period_type);
	dump_string(out, p, h->default_type);
	dump_string(out, p, h->drop_frames);
	dump_string(out, p, h->keep_frames);
	dump_string(out, p, h->doc_url);
	sink_text(out, "\ntypes");
	for (uint32_t i = 0; i < p->types.count; i++)
		dump_type(out, p, p->types.at[i]);
	sink_text(out, "\ncomments");
	for (uint32_t i = 0; i < p->comments.count; i++)
		dump_string(out, p, p->comments.at[i]);
	sink_text(out, "\nloss");
	for (unsigned i = 0; i < LOSS_KINDS; i++)
		dump_number(out, (int64_t)p->loss.count[i]);
	sink_char(out, '\n');
}

static void dump_mappings(struct sink *out, const struct profile *p)
{
	for (uint32_t i = 1; i < p->mappings.count; i++) {
		const struct mapping *m = &p->mappings.at[i];

		sink_format(out, "mapping %llu %llx %llx %llx",
			    (unsigned long long)m->id,
			    (unsigned long long)m->start,
			    (unsigned long long)m->limit,
			    (unsigned long long)m->offset);
		dump_string(out, p, m->file);
		dump_string(out, p, m->build_id);
		dump_string(out, p, m->kernel_symbol);
		sink_format(out, " %x\n", m->flags);
	}
}

static void dump_functions(struct sink *out, const struct profile *p)
{
	for (uint32_t i = 1; i < p->functions.count; i++) {
		const struct function *f = &p->functions.at[i];

		sink_format(out, "function %llu", (unsigned long long)f->id);
		dump_string(out, p, f->name);
		dump_string(out, p, f->system_name);
		dump_string(out, p, f->file);
		dump_number(out, f->start_line);
		sink_char(out, '\n');
	}
}

static void dump_locations(struct sink *out, const struct profile *p)
{
	for (uint32_t i = 1; i < p->locations.count; i++) {
		const struct location *l = &p->locations.at[i];
		const struct line *line = location_lines(p, l);

		sink_format(out, "location %llu %llx mapping %llu %d:",
			    (unsigned long long)l->id,
			    (unsigned long long)l->address,
			    (unsigned long long)p->mappings.at[l->mapping].id,
			    l->folded);
		for (uint32_t j = 0; j < l->line_count; j++) {
			sink_format(out, " %u", line[j].function);
			dump_number(out, line[j].line);
			dump_number(out, line[j].column);
		}
		sink_char(out, '\n');
	}
}

static void dump_labels(struct sink *out, const struct profile *p, labels_id id)
{
	uint32_t count;
	const struct label *l = labels_get(&p->label_sets, id, &count);

	for (; count; count--, l++) {
		dump_string(out, p, l->key);
		if (!l->numeric) {
			dump_string(out, p, l->text);
			continue;
		}
		dump_number(out, l->number);
		dump_string(out, p, l->unit);
	}
}

/* Leaf first. */
static void dump_stack(struct sink *out, const struct profile *p, stack_id id)
{
	for (; id; id = p->stacks.nodes.at[id].parent) {
		const struct stack_node *n = &p->stacks.nodes.at[id];

		for (uint32_t i = n->length; i-- > 0;)
			sink_format(out, " %u",
				    p->stacks.frames.at[n->first + i]);
	}
}

static void dump_samples(struct sink *out, const struct profile *p)
{
	for (uint32_t i = 0; i < p->sample_count; i++) {
		sink_text(out, "sample");
		if (p->time)
			sink_format(out, " at %lld", (long long)p->time[i]);
		for (uint32_t t = 0; t < p->types.count; t++)
			dump_number(out, profile_values(p, i)[t]);
		sink_char(out, ':');
		dump_stack(out, p, p->stack[i]);
		sink_text(out, " labels");
		dump_labels(out, p, p->labels[i]);
		sink_char(out, '\n');
	}
}

static inline void profile_dump_to(const struct profile *p, struct sink *out)
{
	dump_header(out, p);
	dump_mappings(out, p);
	dump_functions(out, p);
	dump_locations(out, p);
	dump_samples(out, p);
}

/* The text is the arena's. */
static inline const char *profile_dump(const struct profile *p,
				       struct arena *arena)
{
	struct sink out = sink_to_memory(arena);

	profile_dump_to(p, &out);
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

#endif /* WICK_TEST_PROFILE_DUMP_H */
