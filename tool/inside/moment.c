/* SPDX-License-Identifier: MIT */
/*
 * See moment.h.  A stack that will do reads, from the leaf: functions of libc's
 * that wait, if any; the program; libc's start of threads; and of the first
 * thread the program's entry.  Libc anywhere else has called the program back,
 * perhaps with a lock held: dl_iterate_phdr() does, and signals look like it.
 */
#include "inside/moment.h"

#include <string.h>

#include "base/check.h"
#include "collect/regs.h"
#include "collect/space.h"
#include "inside/envoy.h"
#include "inside/target.h"
#include "unwind/walk.h"

enum { ENTRY_BYTES = 64, DEPTH = 1024 };

/*
 * Functions that programs wait in.  At no instruction of theirs do they hold a
 * lock that anybody else could want, but for those that the caller names.
 */
static const char *const waits[] = {
	"accept",
	"accept4",
	"clock_nanosleep",
	"epoll_pwait",
	"epoll_pwait2",
	"epoll_wait",
	"msgrcv",
	"nanosleep",
	"pause",
	"poll",
	"ppoll",
	"pselect",
	"pthread_barrier_wait",
	"pthread_clockjoin_np",
	"pthread_cond_clockwait",
	"pthread_cond_timedwait",
	"pthread_cond_wait",
	"pthread_join",
	"pthread_mutex_lock",
	"pthread_mutex_timedlock",
	"pthread_rwlock_rdlock",
	"pthread_rwlock_wrlock",
	"pthread_timedjoin_np",
	"read",
	"readv",
	"recv",
	"recvfrom",
	"recvmmsg",
	"recvmsg",
	"select",
	"sem_clockwait",
	"sem_timedwait",
	"sem_wait",
	"semop",
	"semtimedop",
	"send",
	"sendmsg",
	"sendto",
	"sigsuspend",
	"sigtimedwait",
	"sigwait",
	"sigwaitinfo",
	"sleep",
	"syscall",
	"thrd_join",
	"thrd_sleep",
	"usleep",
	"wait",
	"wait4",
	"waitid",
	"waitpid",
	"write",
	"writev",
};

/* Functions that hold a stream's lock while they are in a read() or write(). */
static const char *const streams[] = {
	"fflush",  "fgetc",	  "fgets",	"fprintf", "fputc",
	"fputs",   "fread",	  "fscanf",	"fwrite",  "getc",
	"getchar", "getdelim",	  "getline",	"printf",  "putchar",
	"puts",	   "scanf",	  "vfprintf",	"vprintf", "_IO_getc",
	"__uflow", "__underflow", "__overflow",
};

/* Parts of the names of functions of allocators that programs have in them. */
static const char *const allocators[] = {
	"alloc",  "free", "arena", "je_",  "mi_",
	"tcache", "_Znw", "_Zna",  "_Zdl", "_Zda",
};

#define HAS(list, name) has(list, ARRAY_SIZE(list), name)

static bool has(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

/* The function at an address, without leading underscores; "": not known. */
static const char *function_at(const struct target *t, uint64_t pc)
{
	uint64_t address;
	const struct target_module *m = target_find(t, pc, &address);
	const struct symtab_row *row = m ? symtab_find(&m->symbols, address)
					 : NULL;
	const char *name = row ? row->name : "";

	/* A part of stdio's own names, and kept in the list above. */
	if (!strncmp(name, "__uflow", 7) || !strncmp(name, "__under", 7) ||
	    !strncmp(name, "__overflow", 10) || !strncmp(name, "_IO_", 4))
		return name;
	return name + strspn(name, "_");
}

static enum target_kind kind_at(const struct target *t, uint64_t pc)
{
	uint64_t address;
	const struct target_module *m = target_find(t, pc, &address);

	return m ? m->kind : TARGET_HOST;
}

static bool is_wait(const struct target *t, uint64_t pc, const char *called)
{
	return HAS(waits, called) ||
	       (HAS(streams, called) && HAS(waits, function_at(t, pc)));
}

static bool read_code(void *context, uint64_t at, void *to, size_t len)
{
	return target_read(context, at, to, len);
}

/* How many functions of libc's the stack begins with; whether they will do. */
static bool skip_waits(struct target *t, const uint64_t *pc, uint32_t count,
		       uint32_t *ret)
{
	uint32_t n = 0;

	while (n < count && kind_at(t, pc[n]) == TARGET_LIBC)
		n++;
	*ret = n;
	if (!n)
		return true;
	/* What the program has called says what may be going on inside. */
	if (is_wait(t, pc[0], function_at(t, pc[n - 1])))
		return true;
	/* It may have gone on to another function that has no name. */
	return n < count &&
	       is_wait(t, pc[0],
		       function_at(t, envoy_callee(pc[n] + 1, read_code, t)));
}

/* Whether code of the program's own may be in the middle of an allocation. */
static bool may_allocate(const struct target *t, uint64_t pc)
{
	uint64_t address;
	const struct target_module *m = target_find(t, pc, &address);
	const struct symtab_row *row;

	if (!m || !m->has_malloc)
		return false;
	row = symtab_find(&m->symbols, address);
	if (!row)
		return true;
	for (unsigned i = 0; i < ARRAY_SIZE(allocators); i++)
		if (strstr(row->name, allocators[i]))
			return true;
	return false;
}

static bool is_entry(const struct target *t, uint64_t pc)
{
	uint64_t address;
	const struct target_module *m = target_find(t, pc, &address);

	return m && address - m->elf.entry < ENTRY_BYTES;
}

/* Where nothing but the start of the thread is left. */
static bool is_start(const struct target *t, const uint64_t *pc, uint32_t count)
{
	if (count && is_entry(t, pc[count - 1]))
		count--;
	for (uint32_t i = 0; i < count; i++)
		if (kind_at(t, pc[i]) != TARGET_LIBC)
			return false;
	return true;
}

static bool judge(struct target *t, const uint64_t *pc, uint32_t count)
{
	uint32_t i;

	if (!skip_waits(t, pc, count, &i))
		return false;
	for (; i < count && !is_start(t, pc + i, count - i); i++)
		if (kind_at(t, pc[i]) != TARGET_HOST || may_allocate(t, pc[i]))
			return false;
	return true;
}

static bool read_word(void *context, uint64_t address, uint64_t *value)
{
	return target_read(context, address, value, sizeof(*value));
}

bool moment_is_safe(struct target *t, const struct tracee_regs *regs)
{
	uint64_t pc[DEPTH], all[REGS_MAX] = { 0 };
	struct unwind_regs start;
	struct unwind_result found;
	struct unwind_walker w = {
		.memory = { .read = read_word, .context = t },
		.code_mask = regs_code_mask,
		.machine = regs_machine,
	};
	uint32_t generation;

	envoy_unwind_regs(regs, all, &start);
	w.map = space_view(t->space, &t->binaries, &generation);
	found = unwind_walk(&w, start, pc, DEPTH);
	if (!found.count)
		return false;
	/* Where the callers are not known, at least a wait must be seen. */
	if (found.reason != UNWIND_COMPLETE && kind_at(t, pc[0]) != TARGET_LIBC)
		return false;
	return judge(t, pc, found.count);
}
