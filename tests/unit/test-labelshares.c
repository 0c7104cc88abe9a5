/* SPDX-License-Identifier: MIT */
/* What label sets spend in nodes, against adding up each sample by itself. */
#include "report/labelshares.h"

#include "base/check.h"
#include "folded.h"
#include "profile/node.h"
#include "profile/order.h"
#include "random.h"
#include "report/context.h"
#include "report/nodepaths.h"

enum {
	FUNCTIONS = 40,
	SAMPLES = 120000, /* as many as workers share */
	DEPTH = 8,
	SETS = 30,
	CHOSEN = 5,
};

static labels_id make_set(struct profile *p, unsigned number)
{
	char text[16];
	struct label label = {
		.key = strtab_add_text(p->strings, "request"),
	};

	fmt_text(text, sizeof(text), "%u", number);
	label.text = strtab_add_text(p->strings, text);
	return labels_add(&p->label_sets, &label, 1);
}

static struct profile make_profile(struct arena *arena)
{
	struct profile p = folded(arena, "start 0\n");
	uint64_t random = RANDOM_START;
	frame_id locations[FUNCTIONS];

	folded_functions(&p, locations, FUNCTIONS);
	for (unsigned i = 0; i < SETS; i++)
		CHECK_EQ(make_set(&p, i), i + 1);
	for (unsigned i = 0; i < SAMPLES; i++) {
		frame_id frames[DEPTH];

		for (unsigned d = 0; d < DEPTH; d++) {
			frames[d] = locations[random_next(&random) % FUNCTIONS];
		}
		*profile_add_sample(
			&p, stack_add(&p.stacks, 0, frames, DEPTH),
			(labels_id)(random % (SETS + 1))) = (int64_t)(i % 3) -
							    1;
	}
	return p;
}

static struct label_share expected[CHOSEN + 1][SETS + 1];

/* By the rule itself: a node once for each sample. */
static void add_up(const struct profile *p, const struct nodetab *nodes,
		   const uint32_t *chosen, const bool *wanted)
{
	for (uint32_t i = 0; i < p->sample_count; i++) {
		frame_id frames[DEPTH];
		uint32_t depth = stack_frames(&p->stacks, p->stack[i], frames,
					      DEPTH);
		uint64_t value = (uint64_t)profile_values(p, i)[0];
		bool seen[CHOSEN + 1] = { true };

		for (uint32_t d = 0; d < depth && value; d++) {
			node_id n = nodes->ids.at[nodes->first[frames[d]]];
			struct label_share *s =
				&expected[chosen[n]][p->labels[i]];

			if (!chosen[n] || !wanted[p->labels[i]])
				continue;
			if (!s->chosen)
				*s = (struct label_share){ .chosen = chosen[n],
							   .set = p->labels[i],
							   .sample = i };
			s->flat.value += d == 0 ? value : 0;
			s->cum.value += seen[chosen[n]] ? 0 : value;
			seen[chosen[n]] = true;
		}
	}
}

static void check_shares(const struct label_shares *s, uint32_t node)
{
	uint32_t count = 0;

	for (uint32_t i = s->first[node]; i < s->first[node + 1]; i++) {
		const struct label_share *share = label_share_get(s,
								  s->order[i]);
		const struct label_share *e = &expected[node][share->set];

		CHECK_EQ(share->chosen, node);
		CHECK_EQ(e->chosen, node);
		CHECK_EQ(share->sample, e->sample);
		CHECK_EQ(share->flat.value, e->flat.value);
		CHECK_EQ(share->cum.value, e->cum.value);
		count++;
	}
	for (labels_id set = 0; set <= SETS; set++)
		count -= expected[node][set].chosen != 0;
	CHECK_EQ(count, 0);
}

TEST(shares_are_those_of_each_sample)
{
	static const struct node_options by_function = { .function = true,
							 .inlines = true };
	struct arena arena = { 0 };
	struct report_context c = { .profile = make_profile(&arena) };
	uint32_t chosen[FUNCTIONS + 3] = { 0 };
	bool wanted[SETS + 1];
	struct nodetab nodes;
	struct graph_request request = { .profile = &c.profile,
					 .nodes = &nodes };
	struct trimmed t = { .request = &request };
	struct node_paths paths;
	struct label_shares shares;

	CHECK_EQ(nodetab_make(&nodes, &c.profile, &by_function, &arena), 0);
	request.order = stack_order_of(&c.profile.stacks);
	for (uint32_t i = 1; i <= CHOSEN; i++)
		chosen[3 * i] = i;
	for (labels_id set = 0; set <= SETS; set++)
		wanted[set] = set % 7 != 0;
	add_up(&c.profile, &nodes, chosen, wanted);
	CHECK_EQ(node_paths_make(&paths, &t, chosen, &arena), 0);
	CHECK_EQ(label_shares_make(&shares, &c, wanted, &paths, CHOSEN, &arena),
		 0);
	for (uint32_t node = 1; node <= CHOSEN; node++)
		check_shares(&shares, node);
	arena_release(&arena);
}
