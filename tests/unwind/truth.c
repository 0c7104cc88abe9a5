/* SPDX-License-Identifier: MIT */
/*
 * The unwinder against the truth: runs a program one instruction at a time,
 * writes down every call and return it really makes, and compares the walk of
 * each state with that.
 *
 *	truth [-n STATES] [-s SKIP] [-m PERCENT] [-c PREFIX]
 *	      [-x CASE=PERCENT] [-dpq] PROGRAM [ARGUMENT...]
 *
 * -c  only inside functions whose names start so, each reported by its name;
 *     in between the program runs freely
 * -x  how many of the walks in a case must be equal (default: all)
 * -n  stop after so many states, or leave a case (default: run to the end)
 * -s  step over the first so many states without comparing
 * -m  how many of the walks must be equal (default: all)
 * -d  show every place where walks differ, not only the first few
 * -p  a walk may end at code without tables, if all before it is right
 * -q  run an aarch64 program under QEMU
 *
 * Exits with 0 if as many walks as wanted were complete and equal.
 */
#include <elf.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/symtab.h"
#include "follow.h"
#include "space.h"
#include "target.h"
#include "unwind/walk.h"

enum {
	MAPS = SPACE_MAX,
	DEPTH = FOLLOW_DEPTH,
	STACK_COPY = 4 * 1024, /* what is beyond is read word by word */
	PLACES = 4096,
	SEEN = 1 << 20,
	NAME = 64,
	EXCUSES = 16,
};

/* Code at which a walk was not the truth. */
struct place {
	uint64_t pc;
	enum unwind_reason reason;
	uint32_t count;
	uint32_t depth; /* of the first frame that differs */
};

/* A case that may differ: its compiler's tables are not right everywhere. */
struct excuse {
	char name[NAME];
	double percent; /* that must be equal all the same */
};

static struct {
	struct target target;
	struct target_map maps[MAPS];
	size_t n_maps;
	struct space space;
	struct follow follow;
	uint64_t seen[SEEN]; /* keys of states that were compared */
	uint8_t stack[STACK_COPY];
	struct place places[PLACES];
	uint32_t n_places;
	uint64_t states;
	uint64_t equal;
	uint64_t guessed;
	uint64_t frames;
	uint64_t limit; /* of states: in each case, or in all */
	uint64_t cut;	/* walks that ended early, and may */
	bool partial;
	bool details;
	const char *cases; /* how the names of cases to run start; or NULL */
	struct excuse excuses[EXCUSES];
	size_t n_excuses;
	uint64_t stops[TARGET_STOPS];
	char names[TARGET_STOPS][NAME];
	size_t n_stops;
} t;

static void read_maps(void)
{
	t.n_maps = t.target.maps(&t.target, t.maps, MAPS);
	space_update(&t.space, &t.target, t.maps, t.n_maps);
}

static const struct target_map *map_of(uint64_t pc)
{
	for (size_t i = 0; i < t.n_maps; i++)
		if (t.maps[i].lo <= pc && pc < t.maps[i].hi)
			return &t.maps[i];
	return NULL;
}

static bool read_word(void *context, uint64_t addr, uint64_t *value)
{
	(void)context;
	return t.target.read(&t.target, addr, value, 8) == 8;
}

static struct unwind_result walk(const struct target_state *s, uint64_t *pcs)
{
	static struct unwind_slot slots[1024];
	static struct unwind_cache cache;
	bool x86 = t.target.machine == EM_X86_64;
	size_t copied = t.target.read(&t.target, s->sp, t.stack, STACK_COPY);
	struct unwind_walker w = {
		.map = &t.space.map,
		.cache = &cache,
		.memory = { .lo = s->sp,
			    .len = copied,
			    .copy = t.stack,
			    .read = read_word },
		.code_mask = x86 ? UNWIND_CODE_MASK_X86
				 : UNWIND_CODE_MASK_AARCH64,
		.machine = t.target.machine,
	};
	struct unwind_regs regs = {
		.pc = s->pc,
		.sp = s->sp,
		.fp = s->reg[x86 ? 6 : 29],
		.extra = s->reg[x86 ? 3 : 30],
		.all = s->reg,
		.n_all = x86 ? 17 : 32,
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};

	if (!cache.slots)
		unwind_cache_init(&cache, slots, sizeof(slots));
	return unwind_walk(&w, regs, pcs, DEPTH);
}

static void note(uint64_t pc, enum unwind_reason reason, uint32_t depth)
{
	for (uint32_t i = 0; i < t.n_places; i++)
		if (t.places[i].pc == pc && t.places[i].reason == reason) {
			t.places[i].count++;
			return;
		}
	if (t.n_places < PLACES)
		t.places[t.n_places++] = (struct place){ pc, reason, 1, depth };
}

/* Loops come by the same places again and again: once found equal is enough. */
static bool was_seen(const struct target_state *s)
{
	uint64_t key = follow_key(&t.follow, s);

	return t.seen[key % SEEN] == key;
}

static void remember(const struct target_state *s)
{
	uint64_t key = follow_key(&t.follow, s);

	t.seen[key % SEEN] = key;
}

/* Whether the walk may end where it does, the true stack having n frames. */
static bool is_end(const struct unwind_result *r, uint32_t n)
{
	if (r->reason == UNWIND_COMPLETE)
		return r->count == n;
	return t.partial && r->reason == UNWIND_NO_RULE && r->count <= n;
}

static void compare(const struct target_state *s)
{
	static uint64_t ours[DEPTH + 1];
	static uint64_t theirs[2 * DEPTH + 1];
	uint32_t n = follow_stack(&t.follow, s, theirs);
	uint32_t i = 0;

	t.states++;
	if (was_seen(s)) {
		t.equal++;
		return;
	}
	struct unwind_result r = walk(s, ours);

	t.frames += r.count;
	t.guessed += r.guessed;
	while (i < n && i < r.count && ours[i] == theirs[i])
		i++;
	if (i == r.count && is_end(&r, n)) {
		t.equal++;
		t.cut += n != r.count;
		remember(s);
		return;
	}
	/* The frame before the first wrong one was left wrongly. */
	note(i ? theirs[i - 1] : s->pc, r.reason, i);
}

static void show_places(void)
{
	uint32_t shown = t.details ? t.n_places : 20;

	for (uint32_t i = 0; i < t.n_places && i < shown; i++) {
		const struct place *p = &t.places[i];
		const struct target_map *m = map_of(p->pc);
		uint64_t address = m ? space_address(&t.space, m, p->pc)
				     : p->pc;

		printf("  %u at frame %u: %s %#" PRIx64 ": %s\n", p->count,
		       p->depth, m ? m->path : "?", address,
		       unwind_reason_text(p->reason));
	}
}

static bool one_step(struct target_state *s, bool comparing)
{
	struct target_state before = *s;
	uint8_t code[16] = { 0 };
	int signal;

	t.target.read(&t.target, s->pc, code, sizeof(code));
	if (comparing)
		compare(s);
	if (!t.target.step(&t.target, &signal) || !t.target.state(&t.target, s))
		return false;
	if (signal && s->pc != before.pc)
		follow_signal(&t.follow, &before, s);
	else
		follow_step(&t.follow, &before, s, code);
	/* mmap, mprotect and munmap change what is code. */
	if (t.target.machine == EM_X86_64 && code[0] == 0x0f &&
	    code[1] == 0x05 && before.reg[0] >= 9 && before.reg[0] <= 11)
		read_maps();
	return true;
}

/* Finds where the cases start: functions of the program with such names. */
static void find_stops(void)
{
	struct symtab table = { 0 };
	struct arena arena = { 0 };
	const size_t prefix = strlen(t.cases);

	for (uint32_t i = 0; i < t.space.map.count; i++) {
		const struct unwind_module *m = &t.space.modules[i];
		const struct loaded *l = t.space.of[i];

		if (!l || strcmp(l->path, t.target.path) != 0 ||
		    symtab_build(&table, &l->elf, &arena) < 0)
			continue;
		for (uint32_t k = 0; k < table.count; k++) {
			const struct symtab_row *row = &table.row[k];
			uint64_t pc = row->address + m->bias;

			/* A dot: a part that the compiler moved away. */
			if (strncmp(row->name, t.cases, prefix) != 0 ||
			    strchr(row->name, '.') || pc < m->lo ||
			    pc >= m->hi || t.n_stops == TARGET_STOPS)
				continue;
			snprintf(t.names[t.n_stops], NAME, "%s", row->name);
			t.stops[t.n_stops++] = pc;
		}
	}
	arena_release(&arena);
}

static double wanted_of(const char *name)
{
	for (size_t i = 0; i < t.n_excuses; i++)
		if (!strcmp(t.excuses[i].name, name))
			return t.excuses[i].percent;
	return 100;
}

static const char *case_at(uint64_t pc)
{
	for (size_t i = 0; i < t.n_stops; i++)
		if (t.stops[i] == pc)
			return t.names[i];
	errx(1, "the program stopped where nobody asked it to");
}

/* Says how a case, or a whole program, has gone; true if well. */
static bool report(const char *name, double wanted)
{
	double share = t.states ? 100.0 * (double)t.equal / (double)t.states
				: 0;

	printf("%s: %" PRIu64 " states, %" PRIu64 " equal (%.4f %%), "
	       "%" PRIu64 " frames, %" PRIu64 " guessed, %" PRIu64 " cut, "
	       "%u places differ\n",
	       name, t.states, t.equal, share, t.frames, t.guessed, t.cut,
	       t.n_places);
	show_places();
	return share >= wanted;
}

/* Steps through one case, at whose first instruction the program is. */
static bool run_case(const char *name)
{
	static uint64_t pcs[DEPTH + 1];
	struct target_state s;
	struct unwind_result r;
	uint32_t outside;

	t.states = t.equal = t.frames = t.guessed = t.cut = 0;
	t.n_places = 0;
	memset(t.seen, 0, sizeof(t.seen));
	read_maps();
	if (!t.target.state(&t.target, &s))
		errx(1, "cannot read registers");
	r = walk(&s, pcs);
	if (!is_end(&r, r.count))
		errx(1, "%s: who called it is not known: %s", name,
		     unwind_reason_text(r.reason));
	follow_start(&t.follow, &s, pcs, r.count);
	outside = t.follow.count;
	while (t.states < t.limit && t.follow.count >= outside &&
	       one_step(&s, true))
		;
	return report(name, wanted_of(name));
}

static bool run_cases(void)
{
	struct target_state s;
	bool good = true;

	find_stops();
	if (!t.n_stops)
		errx(1, "'%s' has no function %s*", t.target.path, t.cases);
	for (size_t n = 0; n < t.n_stops; n++) {
		if (!t.target.run(&t.target, t.stops, t.n_stops) ||
		    !t.target.state(&t.target, &s))
			errx(1, "%zu cases did not run", t.n_stops - n);
		good &= run_case(case_at(s.pc));
	}
	return good;
}

/* Steps through the program from its first instruction on. */
static bool run_all(uint64_t skip, double wanted)
{
	struct target_state s;

	if (!t.target.state(&t.target, &s))
		errx(1, "cannot read registers");
	for (uint64_t i = 0; i < t.limit; i++)
		if (!one_step(&s, i >= skip))
			break;
	return report(t.target.path, wanted);
}

static void add_excuse(const char *text)
{
	struct excuse *e = &t.excuses[t.n_excuses++];

	if (t.n_excuses == EXCUSES ||
	    sscanf(text, "%63[^=]=%lf", e->name, &e->percent) != 2)
		errx(2, "'%s' is not CASE=PERCENT", text);
}

static int usage(void)
{
	fprintf(stderr, "usage: truth [-n STATES] [-s SKIP] [-m PERCENT] "
			"[-c PREFIX] [-x CASE=PERCENT] [-dpq] "
			"PROGRAM [ARGUMENT...]\n");
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t skip = 0;
	double percent = 100;
	bool qemu = false;
	bool good;
	int c;

	while ((c = getopt(argc, argv, "+n:s:m:c:x:dpq")) >= 0) {
		switch (c) {
		case 'n':
			t.limit = strtoull(optarg, NULL, 0);
			break;
		case 's':
			skip = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			percent = atof(optarg);
			break;
		case 'c':
			t.cases = optarg;
			break;
		case 'x':
			add_excuse(optarg);
			break;
		case 'd':
			t.details = true;
			break;
		case 'p':
			t.partial = true;
			break;
		case 'q':
			qemu = true;
			break;
		default:
			return usage();
		}
	}
	if (optind == argc)
		return usage();
	t.follow.target = &t.target;
	t.limit = t.limit ? t.limit : UINT64_MAX;
	if (qemu)
		target_qemu(&t.target, argv + optind);
	else
		target_ptrace(&t.target, argv + optind);
	read_maps();
	good = t.cases ? run_cases() : run_all(skip, percent);
	return !good;
}
