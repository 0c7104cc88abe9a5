/* SPDX-License-Identifier: MIT */
/*
 * The unwinder against the truth: runs a program one instruction at a time,
 * writes down every call and return it really makes, and compares the walk of
 * each state with that.
 *
 *	truth [-n STATES] [-s SKIP] [-m PERCENT] [-dq] PROGRAM [ARGUMENT...]
 *
 * -n  stop after so many states (default: run to the end)
 * -s  step over the first so many states without comparing
 * -m  how many of the walks must be equal (default: all)
 * -d  show every place where walks differ, not only the first few
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

#include "space.h"
#include "target.h"
#include "unwind/walk.h"

enum {
	MAPS = SPACE_MAX,
	DEPTH = 4096,
	STACK_COPY = 32 * 1024,
	PLACES = 4096,
};

/* A call that has not returned, or a signal that was delivered. */
struct call {
	uint64_t slot;	/* x86-64: where the return address is; else sp */
	uint64_t where; /* what the walk must say */
	bool is_signal; /* followed by the interrupted pc */
	bool returned;	/* from the handler, into the trampoline */
	uint64_t interrupted;
	uint64_t sp; /* at the interruption */
};

/* Code at which a walk was not the truth. */
struct place {
	uint64_t pc;
	enum unwind_reason reason;
	uint32_t count;
	uint32_t depth; /* of the first frame that differs */
};

static struct {
	struct target target;
	struct target_map maps[MAPS];
	size_t n_maps;
	struct space space;
	struct call calls[DEPTH];
	uint32_t n_calls;
	uint8_t stack[STACK_COPY];
	struct place places[PLACES];
	uint32_t n_places;
	uint64_t states;
	uint64_t equal;
	uint64_t guessed;
	uint64_t frames;
	bool details;
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

static bool is_call_x86(const uint8_t *code)
{
	while ((*code >= 0x40 && *code <= 0x4f) || *code == 0x66 ||
	       *code == 0x67 || *code == 0x3e || *code == 0xf2)
		code++;
	return *code == 0xe8 || (*code == 0xff && (code[1] >> 3 & 7) == 2);
}

static bool is_call_aarch64(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, 4);
	return (word & 0xfc000000) == 0x94000000 ||
	       (word & 0xfffffc1f) == 0xd63f0000;
}

static void push_call(struct call call)
{
	if (t.n_calls == DEPTH)
		errx(1, "the program's stack is too deep");
	t.calls[t.n_calls++] = call;
}

/* The handler has returned when its trampoline runs. */
static void follow_trampoline(const struct target_state *now)
{
	struct call *top = t.n_calls ? &t.calls[t.n_calls - 1] : NULL;

	if (top && top->is_signal && now->pc == top->where + 1)
		top->returned = true;
}

/* x86-64: a call is over when the stack pointer is above its slot. */
static void follow_x86(const struct target_state *before,
		       const struct target_state *now, const uint8_t *code)
{
	uint64_t ra;

	while (t.n_calls && !t.calls[t.n_calls - 1].is_signal &&
	       t.calls[t.n_calls - 1].slot < now->sp)
		t.n_calls--;
	follow_trampoline(now);
	if (code[0] == 0x0f && code[1] == 0x05) {
		/* rt_sigreturn */
		if (before->reg[0] == 15)
			while (t.n_calls && !t.calls[--t.n_calls].is_signal)
				;
		return;
	}
	if (now->sp != before->sp - 8 || !is_call_x86(code) ||
	    !read_word(NULL, now->sp, &ra) || ra - before->pc > 15)
		return;
	push_call((struct call){ .slot = now->sp, .where = ra - 1 });
}

/* aarch64: a call is over when the code behind it runs on the same stack. */
static void follow_aarch64(const struct target_state *before,
			   const struct target_state *now, const uint8_t *code)
{
	if (before->reg[8] == 139 && !memcmp(code, "\x01\0\0\xd4", 4)) {
		while (t.n_calls && !t.calls[--t.n_calls].is_signal)
			;
		return;
	}
	if (is_call_aarch64(code)) {
		push_call((struct call){ .slot = before->sp,
					 .where = before->pc + 3 });
		return;
	}
	while (t.n_calls && !t.calls[t.n_calls - 1].is_signal) {
		struct call *top = &t.calls[t.n_calls - 1];

		if (now->sp < top->slot ||
		    (now->sp == top->slot && now->pc != top->where + 1))
			return;
		t.n_calls--;
	}
	follow_trampoline(now);
}

/* The handler runs, and will return through the trampoline. */
static void follow_signal(const struct target_state *before,
			  const struct target_state *now)
{
	uint64_t ra = now->reg[30];

	if (t.target.machine == EM_X86_64)
		read_word(NULL, now->sp, &ra);
	push_call((struct call){ .is_signal = true,
				 .slot = now->sp,
				 .where = ra - 1,
				 .interrupted = before->pc,
				 .sp = before->sp });
}

static uint32_t truth(const struct target_state *s, uint64_t *pcs)
{
	uint32_t n = 0;

	pcs[n++] = s->pc;
	for (uint32_t i = t.n_calls; i--;) {
		if (!t.calls[i].returned)
			pcs[n++] = t.calls[i].where;
		if (t.calls[i].is_signal)
			pcs[n++] = t.calls[i].interrupted;
	}
	return n;
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

static void compare(const struct target_state *s)
{
	static uint64_t ours[DEPTH + 1];
	static uint64_t theirs[2 * DEPTH + 1];
	uint32_t n = truth(s, theirs);
	struct unwind_result r = walk(s, ours);
	uint32_t i = 0;

	t.states++;
	t.frames += r.count;
	t.guessed += r.guessed;
	while (i < n && i < r.count && ours[i] == theirs[i])
		i++;
	if (i == n && n == r.count && r.reason == UNWIND_COMPLETE) {
		t.equal++;
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
		follow_signal(&before, s);
	else if (t.target.machine == EM_X86_64)
		follow_x86(&before, s, code);
	else
		follow_aarch64(&before, s, code);
	/* mmap, mprotect and munmap change what is code. */
	if (t.target.machine == EM_X86_64 && code[0] == 0x0f &&
	    code[1] == 0x05 && before.reg[0] >= 9 && before.reg[0] <= 11)
		read_maps();
	return true;
}

static int usage(void)
{
	fprintf(stderr, "usage: truth [-n STATES] [-s SKIP] [-m PERCENT] [-dq] "
			"PROGRAM [ARGUMENT...]\n");
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t limit = UINT64_MAX;
	uint64_t skip = 0;
	double percent = 100;
	double share;
	struct target_state s;
	bool qemu = false;
	int c;

	while ((c = getopt(argc, argv, "+n:s:m:dq")) >= 0) {
		switch (c) {
		case 'n':
			limit = strtoull(optarg, NULL, 0);
			break;
		case 's':
			skip = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			percent = atof(optarg);
			break;
		case 'd':
			t.details = true;
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
	if (qemu)
		target_qemu(&t.target, argv + optind);
	else
		target_ptrace(&t.target, argv + optind);
	read_maps();
	if (!t.target.state(&t.target, &s))
		errx(1, "cannot read registers");
	for (uint64_t i = 0; i < limit; i++)
		if (!one_step(&s, i >= skip))
			break;
	share = 100.0 * (double)t.equal / (double)(t.states ? t.states : 1);
	printf("%s: %" PRIu64 " states, %" PRIu64 " equal (%.4f %%), "
	       "%" PRIu64 " frames, %" PRIu64 " guessed, %u places differ\n",
	       argv[optind], t.states, t.equal, share, t.frames, t.guessed,
	       t.n_places);
	show_places();
	return t.states == 0 || share < percent;
}
