/* SPDX-License-Identifier: MIT */
/*
 * From samples to a profile.  A sample stands for nanoseconds; a capture
 * counts them in steps of its own period and keeps the rest for the thread's
 * next one.  Each thread starts somewhere in its first period, at random: so a
 * thread of half a period is counted half the time, and sums are right on
 * average however short threads live.
 */
#include "agent/intake.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "agent/code.h"
#include "agent/state.h"
#include "base/fmt.h"
#include "base/hash.h"

enum {
	MEMORY_MAX = 512 << 20,	 /* of one capture */
	MEMORY_FULL = 384 << 20, /* from here on nothing new is added */
	LABELS_MAX = 64,
};

static str_id text(struct capture *c, const char *s)
{
	return strtab_add_text(c->profile.strings, s);
}

static int add_type(struct capture *c, const char *type, const char *unit)
{
	struct value_type *t = VEC_PUSH(&c->profile.types, &c->arena);

	if (!t)
		return -ENOMEM;
	*t = (struct value_type){ text(c, type), text(c, unit) };
	return 0;
}

static mapping_id add_mapping(struct capture *c, const struct code_map *m,
			      const struct code_file *f)
{
	char id[BUILD_ID_TEXT];
	struct mapping row = {
		.id = c->profile.mappings.count,
		.start = m->lo,
		.limit = m->hi,
		.offset = m->offset,
		.file = text(c, *f->path ? f->path : "//anon"),
	};
	struct capture_map *map = VEC_PUSH(&c->maps, &c->arena);

	if (f->id.len)
		row.build_id = text(c, build_id_text(&f->id, id));
	if (map)
		*map = (struct capture_map){
			.lo = m->lo,
			.hi = m->hi,
			.offset = m->offset,
			.file = f,
			.mapping = profile_add_mapping(&c->profile, row),
		};
	return map ? map->mapping : 0;
}

static mapping_id mapping_of(struct capture *c, const struct code_map *m,
			     const struct code *code)
{
	const struct code_file *f = code->files.at[m->file];

	for (uint32_t i = c->maps.count; i-- > 0;)
		if (c->maps.at[i].lo == m->lo && c->maps.at[i].file == f)
			return c->maps.at[i].mapping;
	return add_mapping(c, m, f);
}

/* The first mapping stands for the program. */
static void begin_with_program(struct capture *c, const struct code *code)
{
	for (uint32_t i = 0; i < code->maps.count; i++)
		if (code->files.at[code->maps.at[i].file]->path[0] == '/') {
			(void)mapping_of(c, &code->maps.at[i], code);
			return;
		}
}

int intake_begin(struct capture *c, const struct code *code)
{
	const char *what = c->options.clock == CAPTURE_WALL ? "wall" : "cpu";
	int r;

	c->arena.limit = MEMORY_MAX;
	r = profile_init(&c->profile, &c->arena);
	if (r == 0 && c->snapshot) {
		r = add_type(c, "threads", "count");
	} else if (r == 0) {
		r = add_type(c, "samples", "count");
		if (r == 0)
			r = add_type(c, what, "nanoseconds");
	}
	c->accounts = ARENA_ARRAY(&c->arena, struct account, THREADS_MAX);
	c->known = ARENA_ARRAY(&c->arena, struct known_place, KNOWN_PLACES);
	if (r < 0 || !c->accounts || !c->known)
		return -ENOMEM;
	begin_with_program(c, code);
	return 0;
}

static location_id find_location(struct capture *c, uint64_t pc,
				 const struct code *code)
{
	const struct code_map *m = code_find(code, pc);
	mapping_id mapping = m ? mapping_of(c, m, code) : 0;
	uint32_t hash = hash_u64(hash_mix(mapping, pc));
	uint32_t i = table_start(&c->locations, hash);
	struct profile *p = &c->profile;
	location_id id;

	for (; (id = table_id(&c->locations, i, hash)) != TABLE_END;
	     i = table_next(&c->locations, i))
		if (id && p->locations.at[id].address == pc &&
		    p->locations.at[id].mapping == mapping)
			return id;
	id = profile_add_location(p,
				  (struct location){ .id = p->locations.count,
						     .address = pc,
						     .mapping = mapping },
				  NULL, 0);
	if (id && !table_add(&c->locations, &c->arena, hash, id))
		return 0;
	return id;
}

/* Most addresses have just been met. */
static location_id location_of(struct capture *c, uint64_t pc,
			       const struct code *code)
{
	struct known_place *k = &c->known[hash_u64(pc) % KNOWN_PLACES];

	if (k->pc != pc || k->generation != code->generation)
		*k = (struct known_place){
			.pc = pc,
			.generation = code->generation,
			.location = find_location(c, pc, code),
		};
	return k->location;
}

static stack_id stack_of(struct capture *c, const struct taken *t,
			 const struct code *code)
{
	frame_id frames[DEPTH_MAX];

	for (uint32_t i = 0; i < t->count; i++)
		frames[i] = location_of(c, t->pcs[i], code);
	return stack_add_leaf_first(&c->profile.stacks, frames, t->count);
}

/* Adds a label with text; the last one of a key counts. */
static void put_label(struct capture *c, struct label *labels, uint32_t *count,
		      const char *key, const char *value)
{
	str_id id = text(c, key);
	uint32_t i = 0;

	while (i < *count && labels[i].key != id)
		i++;
	if (i == LABELS_MAX)
		return;
	labels[i] = (struct label){ .key = id, .text = text(c, value) };
	if (i == *count)
		++*count;
}

static struct label number_label(struct capture *c, const char *key,
				 int32_t number)
{
	return (struct label){
		.key = text(c, key),
		.number = number,
		.numeric = true,
	};
}

static labels_id labels_of(struct capture *c, const struct taken *t)
{
	const struct watched *w = &agent.threads[t->thread];
	const char *end = t->labels + t->label_bytes;
	struct label labels[LABELS_MAX + 2];
	uint32_t count = 0;

	if (c->options.process)
		put_label(c, labels, &count, "process", c->process);
	put_label(c, labels, &count, "thread", w->name);
	if (t->mark)
		put_label(c, labels, &count, "phase", agent.marks[t->mark]);
	for (const char *key = t->labels; key < end;) {
		const char *value = key + strlen(key) + 1;

		put_label(c, labels, &count, key, value);
		key = value + strlen(value) + 1;
	}
	if (c->options.process)
		labels[count++] = number_label(c, "pid", agent.pid);
	labels[count++] = number_label(c, "tid", w->tid);
	return labels_add(&c->profile.label_sets, labels, count);
}

static int64_t *values_of(struct capture *c, stack_id stack, labels_id labels)
{
	uint32_t hash = hash_pair(stack, labels);
	uint32_t i = table_start(&c->samples, hash);
	struct profile *p = &c->profile;
	int64_t *values;
	uint32_t id;

	for (; (id = table_id(&c->samples, i, hash)) != TABLE_END;
	     i = table_next(&c->samples, i))
		if (id && p->stack[id - 1] == stack &&
		    p->labels[id - 1] == labels)
			return profile_values(p, id - 1);
	values = profile_add_sample(p, stack, labels);
	if (values)
		(void)table_add(&c->samples, &c->arena, hash, p->sample_count);
	return values;
}

/* How many periods of the thread are over with these nanoseconds. */
static uint64_t periods(struct capture *c, uint32_t thread, uint64_t nanos)
{
	struct account *a = &c->accounts[thread];
	const struct watched *w = &agent.threads[thread];
	uint64_t paid;

	if (a->generation != w->generation)
		*a = (struct account){
			.generation = w->generation,
			.left = hash_u64(
					hash_mix(c->began,
						 w->since ^ (uint64_t)w->tid)) %
				c->period,
		};
	paid = nanos < a->debt ? nanos : a->debt;
	a->debt -= paid;
	a->left += nanos - paid;
	c->given += nanos - paid;
	nanos = a->left / c->period;
	a->left %= c->period;
	return nanos;
}

static void count_values(struct capture *c, int64_t *values, uint64_t n)
{
	values[0] += (int64_t)n;
	values[1] += (int64_t)(n * c->period);
}

void intake_add(struct capture *c, const struct taken *t,
		const struct code *code)
{
	uint64_t n = c->snapshot ? 1 : periods(c, t->thread, t->nanos);
	int64_t *values;

	c->taken++;
	/* A wait that has just begun is repeated later, so it is needed. */
	if (!n && c->options.clock == CAPTURE_CPU)
		return;
	if (c->arena.mapped > MEMORY_FULL) {
		c->profile.loss.count[LOSS_SAMPLES]++;
		return;
	}
	values = values_of(c, stack_of(c, t, code), labels_of(c, t));
	if (!values)
		return;
	c->profile.loss.count[LOSS_STACKS] += t->cut;
	if (c->snapshot) {
		values[0]++;
		return;
	}
	count_values(c, values, n);
	c->accounts[t->thread].last = (uint32_t)((values - c->profile.value) /
						 2) +
				      1;
}

bool intake_knows(const struct capture *c, uint32_t thread)
{
	const struct account *a = &c->accounts[thread];

	return a->last && a->generation == agent.threads[thread].generation;
}

void intake_repeat(struct capture *c, uint32_t thread, uint64_t nanos)
{
	uint64_t n = periods(c, thread, nanos);

	count_values(c,
		     profile_values(&c->profile, c->accounts[thread].last - 1),
		     n);
}

static void comment(struct capture *c, const char *line)
{
	str_id *row = VEC_PUSH(&c->profile.comments, &c->arena);

	if (row)
		*row = text(c, line);
}

static void say_engine(struct capture *c)
{
	static const char *const names[] = {
		[ENGINE_NONE] = "",
		[ENGINE_TIMERS] = "POSIX timers on CPU time",
		[ENGINE_PERF] = "perf events",
		[ENGINE_LOOK] = "a look at each thread",
	};
	char line[200];

	fmt_text(line, sizeof(line), "wick: %u Hz by %s", c->options.hz,
		 names[c->engine]);
	comment(c, line);
}

/* Worth a word when it is more than chance. */
static void say_unsampled(struct capture *c)
{
	uint64_t total = c->given + c->unsampled;
	char line[200];

	if (c->unsampled < total / 50 || c->unsampled < 4 * c->period)
		return;
	fmt_text(line, sizeof(line),
		 "wick: %llu ms of CPU time are not here: of threads that "
		 "were gone at once, or block the signal",
		 (unsigned long long)c->unsampled / 1000000);
	comment(c, line);
}

void intake_end(struct capture *c)
{
	struct profile *p = &c->profile;

	p->header.time_nanos = c->began_real;
	p->header.duration_nanos = (int64_t)(c->ended - c->began);
	p->loss.count[LOSS_SAMPLES] += c->lost;
	if (c->snapshot)
		return;
	p->header.period = (int64_t)c->period;
	p->header.period_type = p->types.at[1];
	say_engine(c);
	say_unsampled(c);
}
