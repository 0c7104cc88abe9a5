/* SPDX-License-Identifier: MIT */
/*
 * The unwinder beside libunwind, on the same states in one run:
 *
 *	bench-unwind [RESULTS.csv]
 *
 * Prints what compiling a table costs and how large it is, what a step costs
 * hot and cold, and one RATIO line for each comparison (theirs / ours: above 1
 * wick is better), which is also appended to the file.
 */
#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <elf.h>
#include <libunwind.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "elf/image.h"
#include "load.h"
#include "unwind/object.h"
#include "unwind/walk.h"

enum {
	MODULES = 64,
	DEPTH = 60,
	FRAMES = 256,
	ROUNDS = 3000,
	RANDOM_STATES = 20000,
	STATE_ROUNDS = 9,
	FAKE_STACK = 1 << 20,
	FLUSH = 64 << 20,
};

static struct {
	struct loaded objects[MODULES];
	struct unwind_module modules[MODULES];
	struct unwind_map map;
	FILE *results;
	uint8_t *flush;
} b;

static void report(const char *what, double ours, double theirs)
{
	struct utsname name;
	char date[16];
	char commit[64] = "unknown";
	time_t now = time(NULL);
	FILE *git = popen("git rev-parse --short HEAD 2>/dev/null", "r");

	if (git) {
		if (fscanf(git, "%63s", commit) != 1)
			snprintf(commit, sizeof(commit), "unknown");
		pclose(git);
	}
	uname(&name);
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
	printf("RATIO %s: wick %.1f, other %.1f: %.1f\n", what, ours, theirs,
	       theirs / ours);
	if (b.results)
		fprintf(b.results, "%s,%s,%s,%s,%.2f,%.2f,%.2f\n", date, commit,
			name.machine, what, ours, theirs, theirs / ours);
}

/* This thread's own time: the machine may be busy with other things. */
static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Compiling and opening, and the size of what comes out. */
static void bench_object(const char *path)
{
	struct elf_section eh = { 0 };
	struct elf_section hdr = { 0 };
	struct loaded l;
	double best = 1e9;
	double open_best = 1e9;
	struct span image;

	load_file(&l, path);
	elf_find_section(&l.elf, ".eh_frame", &eh);
	elf_find_section(&l.elf, ".eh_frame_hdr", &hdr);
	for (int i = 0; i < 5; i++) {
		double start = cpu_now();

		arena_release(&l.arena);
		if (unwind_object(&l.elf, NULL, &l.arena, &image, NULL) < 0)
			return;
		double middle = cpu_now();

		unwind_table_open(&l.table, image, NULL);
		double end = cpu_now();

		best = middle - start < best ? middle - start : best;
		open_best = end - middle < open_best ? end - middle : open_best;
	}
	printf("%-28s %5.1f MB eh_frame  %7.1f ms (%5.1f ms/MB, %4.0f ns/row)"
	       "  %8u rows  %4.2f B/row  %5u rules  %5.1f %% of eh_frame"
	       "  open %.2f ms\n",
	       strrchr(path, '/') + 1, (double)eh.size / 1e6, best * 1e3,
	       best * 1e3 / ((double)eh.size / 1e6),
	       best * 1e9 / l.table.n_rows, l.table.n_rows,
	       (double)image.len / l.table.n_rows, l.table.n_rules,
	       100.0 * (double)image.len / (double)(eh.size + hdr.size),
	       open_best * 1e3);
	arena_release(&l.arena);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name;
	struct loaded *l = &b.objects[b.map.count];

	(void)size;
	(void)data;
	if (!*path)
		path = "/proc/self/exe";
	if (*path != '/' || b.map.count == MODULES || load_table(l, path) < 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X))
			b.modules[b.map.count++] = (struct unwind_module){
				.lo = info->dlpi_addr + p->p_vaddr,
				.hi = info->dlpi_addr + p->p_vaddr + p->p_memsz,
				.bias = info->dlpi_addr,
				.table = &l->table,
			};
	}
	return 0;
}

static int by_address(const void *x, const void *y)
{
	const struct unwind_module *a = x;
	const struct unwind_module *c = y;

	return a->lo < c->lo ? -1 : a->lo > c->lo;
}

static void map_self(void)
{
	b.map = (struct unwind_map){ .modules = b.modules, .generation = 1 };
	dl_iterate_phdr(add_object, NULL);
	qsort(b.modules, b.map.count, sizeof(b.modules[0]), by_address);
}

static struct unwind_regs regs_of(const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;

	return (struct unwind_regs){
		.pc = (uint64_t)g[REG_RIP],
		.sp = (uint64_t)g[REG_RSP],
		.fp = (uint64_t)g[REG_RBP],
		.extra = (uint64_t)g[REG_RBX],
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};
}

static struct unwind_walker walker_for(uint64_t sp, uint64_t len)
{
	return (struct unwind_walker){
		.map = &b.map,
		.memory = { .lo = sp, .len = len, .copy = (const uint8_t *)sp },
		.code_mask = UNWIND_CODE_MASK_X86,
		.machine = EM_X86_64,
	};
}

static int libunwind_walk(ucontext_t *uc, uint64_t *pcs)
{
	unw_cursor_t cursor;
	int n = 0;

	unw_init_local2(&cursor, uc, UNW_INIT_SIGNAL_FRAME);
	do {
		unw_word_t ip;

		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		pcs[n++] = ip;
	} while (n < FRAMES && unw_step(&cursor) > 0);
	return n;
}

static uint64_t stack_end(void)
{
	return (uint64_t)__builtin_frame_address(0) + 200 * 1024;
}

struct hot {
	const char *name;
	void (*walk)(struct hot *h);
	struct unwind_walker w;
	struct unwind_regs regs;
	ucontext_t *uc;
	uint64_t pcs[FRAMES];
	uint32_t count;
	enum unwind_reason reason;
};

static void hot_ours(struct hot *h)
{
	struct unwind_result r = unwind_walk(&h->w, h->regs, h->pcs, FRAMES);

	h->count = r.count;
	h->reason = r.reason;
}

static void hot_libunwind(struct hot *h)
{
	h->count = (uint32_t)libunwind_walk(h->uc, h->pcs);
}

static void hot_unw_backtrace(struct hot *h)
{
	h->count = (uint32_t)unw_backtrace((void **)h->pcs, FRAMES);
}

/* Nanoseconds a frame, the best of some rounds. */
static double time_hot(struct hot *h)
{
	double best = 1e9;

	h->walk(h);
	for (int k = 0; k < 15; k++) {
		uint64_t frames = 0;
		double start = cpu_now();

		for (int i = 0; i < ROUNDS / 15; i++) {
			h->walk(h);
			frames += h->count;
		}
		double each = (cpu_now() - start) * 1e9 / (double)frames;

		best = each < best ? each : best;
	}
	printf("hot, %-28s %3u frames, %7.1f ns a frame\n", h->name, h->count,
	       best);
	return best;
}

/* One deep stack, walked again and again. */
static void bench_hot(ucontext_t *uc)
{
	static struct unwind_slot slots[4096];
	static struct hot plain;
	static struct hot cached;
	static struct hot theirs;
	static struct hot fast;
	struct unwind_cache cache;
	struct unwind_regs regs = regs_of(uc);
	struct unwind_walker w = walker_for(regs.sp, stack_end() - regs.sp);

	unwind_cache_init(&cache, slots, sizeof(slots));
	plain = (struct hot){ .name = "wick, no rule cache",
			      .walk = hot_ours,
			      .w = w,
			      .regs = regs };
	w.cache = &cache;
	cached = (struct hot){
		.name = "wick", .walk = hot_ours, .w = w, .regs = regs
	};
	theirs = (struct hot){ .name = "libunwind, unw_step()",
			       .walk = hot_libunwind,
			       .uc = uc };
	fast = (struct hot){ .name = "libunwind, unw_backtrace()",
			     .walk = hot_unw_backtrace };

	double ours = time_hot(&cached);
	double uncached = time_hot(&plain);
	double step = time_hot(&theirs);
	double trace = time_hot(&fast);

	printf("the stack is %s\n", unwind_reason_text(cached.reason));
	for (uint32_t i = 1; i < theirs.count && i < cached.count; i++)
		if (cached.pcs[i] + 1 != theirs.pcs[i])
			printf("frame %u differs: %#lx, libunwind %#lx\n", i,
			       (unsigned long)cached.pcs[i],
			       (unsigned long)theirs.pcs[i]);
	report("unwind step hot vs unw_step (ns)", ours, step);
	report("unwind step hot vs unw_backtrace (ns)", ours, trace);
	report("unwind step uncached vs unw_step (ns)", uncached, step);
}

__attribute__((noinline)) static int deep(int n, int (*at_end)(void))
{
	volatile int here[4] = { n };

	if (!n)
		return at_end();
	return deep(n - 1, at_end) + here[0];
}

static int at_end(void)
{
	ucontext_t uc;

	getcontext(&uc);
	bench_hot(&uc);
	return 0;
}

/* Everything out of the processor's caches. */
static void flush(void)
{
	for (size_t i = 0; i < FLUSH; i += 64)
		b.flush[i]++;
}

static uint64_t random_pc(const struct unwind_module *m, uint64_t *seed)
{
	const struct unwind_rule *rule;
	unw_proc_info_t info;
	uint64_t pc;

	/* Not in the padding between functions, where both guess. */
	do {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		pc = m->lo + (*seed >> 16) % (m->hi - m->lo);
		rule = unwind_table_find(m->table, pc - m->bias);
	} while (!rule ||
		 (rule->kind != UNWIND_SP && rule->kind != UNWIND_FP) ||
		 unw_get_proc_info_by_ip(unw_local_addr_space, pc, &info,
					 NULL) < 0);
	return pc;
}

struct state {
	uint64_t pc;
	uint64_t sp_ours;
	uint64_t sp_theirs;
	uint64_t ticks_ours;
	uint64_t ticks_theirs;
};

static int by_number(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t c = *(const uint64_t *)y;

	return a < c ? -1 : a > c;
}

/* The middle one: a tick between two readings does not count. */
static double median(uint64_t *ticks, int n)
{
	qsort(ticks, (size_t)n, sizeof(*ticks), by_number);
	return (double)ticks[n / 2];
}

static double ticks_per_ns(void)
{
	double start = seconds_now();
	uint64_t ticks = __rdtsc();

	while (seconds_now() - start < 0.05)
		;
	return (double)(__rdtsc() - ticks) / ((seconds_now() - start) * 1e9);
}

/* What measuring itself costs: it is not a part of a step. */
static double ticks_of_nothing(void)
{
	enum { TIMES = 10001 };
	static uint64_t ticks[TIMES];

	for (int i = 0; i < TIMES; i++) {
		uint64_t start = __rdtsc();

		ticks[i] = __rdtsc() - start;
	}
	return median(ticks, TIMES);
}

static void step_ours(struct state *s, const struct unwind_walker *w,
		      ucontext_t *uc)
{
	struct unwind_regs regs;
	bool guessed;
	uint64_t start = __rdtsc();

	regs = regs_of(uc);
	unwind_step(w, &regs, &guessed);
	s->ticks_ours = __rdtsc() - start;
	s->sp_ours = regs.sp;
}

static void step_theirs(struct state *s, ucontext_t *uc)
{
	unw_cursor_t cursor;
	unw_word_t sp;
	uint64_t start = __rdtsc();

	unw_init_local2(&cursor, uc, UNW_INIT_SIGNAL_FRAME);
	unw_step(&cursor);
	s->ticks_theirs = __rdtsc() - start;
	unw_get_reg(&cursor, UNW_REG_SP, &sp);
	s->sp_theirs = sp;
}

/* The smallest median of some rounds: what others do only adds to it. */
struct best {
	double ours;
	double theirs;
	double worst; /* of ours */
	int differ;
};

static void take_round(struct best *best, const struct state *states, int n,
		       bool first)
{
	uint64_t *ticks = calloc((size_t)n, sizeof(*ticks));
	double ours;
	double theirs;

	for (int i = 0; i < n; i++) {
		ticks[i] = states[i].ticks_ours;
		if (states[i].sp_ours != states[i].sp_theirs &&
		    best->differ++ < 3)
			printf("  at %#lx: %#lx, libunwind %#lx\n",
			       (unsigned long)states[i].pc,
			       (unsigned long)states[i].sp_ours,
			       (unsigned long)states[i].sp_theirs);
	}
	ours = median(ticks, n);
	for (int i = 0; i < n; i++)
		ticks[i] = states[i].ticks_theirs;
	theirs = median(ticks, n);
	if (first || ours < best->ours)
		best->ours = ours;
	if (first || theirs < best->theirs)
		best->theirs = theirs;
	if (first || ours > best->worst)
		best->worst = ours;
	free(ticks);
}

static void report_states(const struct best *best, const char *what)
{
	double scale = ticks_per_ns();
	double nothing = ticks_of_nothing();
	double ours = (best->ours - nothing) / scale;
	double theirs = (best->theirs - nothing) / scale;

	printf("%s: median %.0f ns a step (at worst %.0f), libunwind %.0f; "
	       "%d give another stack pointer\n",
	       what, ours, (best->worst - nothing) / scale, theirs,
	       best->differ);
	report(what, ours, theirs);
}

static void step_all(struct state *states, int n, bool cold,
		     const struct unwind_walker *w, ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;

	for (int i = 0; i < n; i++) {
		regs[REG_RIP] = (greg_t)states[i].pc;
		if (cold)
			flush();
		step_ours(&states[i], w, uc);
	}
	for (int i = 0; i < n; i++) {
		regs[REG_RIP] = (greg_t)states[i].pc;
		if (cold)
			flush();
		step_theirs(&states[i], uc);
	}
}

/* One step from random places of a large library, caches cold or not. */
static void bench_random(const struct unwind_module *m, bool cold)
{
	static ucontext_t uc;
	uint8_t *fake = aligned_alloc(4096, FAKE_STACK);
	struct state *states = calloc(RANDOM_STATES, sizeof(*states));
	const int n = cold ? RANDOM_STATES / 100 : RANDOM_STATES;
	struct unwind_walker w = walker_for((uint64_t)fake, FAKE_STACK);
	greg_t *regs = uc.uc_mcontext.gregs;
	struct best best = { 0 };
	uint64_t seed = 1;

	memset(fake, 0, FAKE_STACK);
	for (int i = 0; i < n; i++)
		states[i].pc = random_pc(m, &seed);
	regs[REG_RSP] = (greg_t)(fake + 4096);
	regs[REG_RBP] = (greg_t)(fake + 8192);
	for (int k = 0; k < (cold ? 1 : STATE_ROUNDS); k++) {
		step_all(states, n, cold, &w, &uc);
		take_round(&best, states, n, !k);
	}
	report_states(&best,
		      cold ? "unwind step cold vs unw_step (ns)"
			   : "unwind step at random places vs unw_step (ns)");
	free(states);
	free(fake);
}

int main(int argc, char **argv)
{
	static const char *const objects[] = {
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
		"/usr/lib/llvm-14/lib/libclang-cpp.so.14",
		"/usr/lib/llvm-14/bin/clang",
		"/usr/bin/node",
	};
	const struct unwind_module *largest;

	if (argc > 1)
		b.results = fopen(argv[1], "ae");
	b.flush = malloc(FLUSH);
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (!access(objects[i], R_OK))
			bench_object(objects[i]);
	dlopen(objects[3], RTLD_LAZY);
	dlopen(objects[1], RTLD_LAZY);
	map_self();
	largest = &b.modules[0];
	for (uint32_t i = 0; i < b.map.count; i++)
		if (b.modules[i].hi - b.modules[i].lo >
		    largest->hi - largest->lo)
			largest = &b.modules[i];
	deep(DEPTH, at_end);
	bench_random(largest, false);
	bench_random(largest, true);
	if (b.results)
		fclose(b.results);
	return 0;
}
