/* SPDX-License-Identifier: MIT */
/*
 * See block.h.  The code for the errand is put where the program began, which
 * it never does again, and taken away afterwards.  Where the block goes is our
 * choice, so that the thread need not say.
 */
#include "inside/block.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/error.h"
#include "base/fmt.h"
#include "inside/borrow.h"
#include "inside/envoy.h"
#include "inside/target.h"
#include "symbol/maps.h"
#include "symbolize/procfs.h"

enum { CODE_MAX = 32, WAIT_MS = 2000 };

static void sleep_ms(unsigned ms)
{
	const struct timespec t = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&t, NULL);
}

/* What is to be found in the mappings of a process. */
struct look {
	uint64_t block; /* whether this one is there */
	bool is_mapped;
	uint64_t middle; /* of the widest gap */
};

static int look_at(pid_t pid, struct look *l)
{
	struct arena arena = { 0 };
	struct map_line line;
	struct reader lines;
	struct span text;
	char path[64];
	uint64_t end = 0, widest = 0;
	int r;

	fmt_text(path, sizeof(path), "/proc/%d/maps", (int)pid);
	r = procfs_read(path, &arena, &text);
	lines = reader_of(r < 0 ? (struct span){ 0 } : text);
	while (maps_next(&lines, &line)) {
		/* The kernel's own last page is beyond what can be used. */
		bool is_gap = end && line.start - end > widest &&
			      !(line.start >> 63);

		if (is_gap) {
			widest = line.start - end;
			l->middle = end + widest / 2;
		}
		end = line.end;
		if (line.start <= l->block && l->block < line.end)
			l->is_mapped = true;
	}
	arena_release(&arena);
	return r;
}

/* Lets a thread make the calls; *ret is which. */
static int run(struct target *t, const struct envoy_call *calls, unsigned count,
	       pid_t *ret, struct error *err)
{
	struct envoy_errand errand;
	struct borrowed b;
	int r = borrow_any(t, &b, err);

	if (r < 0)
		return r;
	envoy_errand(&b.regs, t->entry, calls, count, &errand);
	if (!target_write(t, errand.at, errand.word, errand.size)) {
		borrow_return(&b);
		return error_set(err, -EFAULT,
				 "cannot write to the stack of process %d",
				 (int)t->pid);
	}
	*ret = b.tid;
	return borrow_send(&b);
}

/* Waits until the block is there, or is not. */
static int wait_block(const struct target *t, uint64_t block, bool is_mapped)
{
	for (unsigned i = 0; i < WAIT_MS; i++) {
		struct look l = { .block = block };
		int r = look_at(t->pid, &l);

		if (r < 0)
			return r;
		if (l.is_mapped == is_mapped)
			return 0;
		sleep_ms(1);
	}
	return -ETIMEDOUT;
}

/* A thread that is still on its way finds the code where it was. */
static void clean_entry(struct target *t, pid_t tid, const uint8_t *kept,
			size_t size)
{
	const struct range entry = { t->entry, size };

	for (unsigned i = 0; i < WAIT_MS; i++) {
		if (borrow_is_over(t, tid, entry)) {
			(void)target_write(t, t->entry, kept, size);
			return;
		}
		sleep_ms(1);
	}
}

/* The same with the errand's code in place. */
static int do_errand(struct target *t, const struct envoy_call *calls,
		     unsigned count, uint64_t block, struct error *err)
{
	uint8_t kept[CODE_MAX];
	size_t size;
	const void *code = envoy_errand_code(&size);
	pid_t tid;
	int r;

	if (!target_read(t, t->entry, kept, size) ||
	    !target_write(t, t->entry, code, size))
		return error_set(err, -EFAULT,
				 "cannot write to the memory of process %d",
				 (int)t->pid);
	r = run(t, calls, count, &tid, err);
	if (r < 0) {
		(void)target_write(t, t->entry, kept, size);
		return r;
	}
	r = wait_block(t, block, count > 1);
	clean_entry(t, tid, kept, size);
	return r < 0 ? error_set_errno(err, r,
				       "process %d maps no memory for code",
				       (int)t->pid)
		     : 0;
}

int block_map(struct target *t, uint64_t *ret_block, struct error *err)
{
	const uint64_t flags = MAP_PRIVATE | MAP_ANONYMOUS |
			       MAP_FIXED_NOREPLACE;
	struct look l = { 0 };
	uint64_t block;
	int r = look_at(t->pid, &l);

	if (r < 0)
		return error_set_errno(err, r, "cannot look at process %d",
				       (int)t->pid);
	block = l.middle & ~(uint64_t)(ENVOY_PAGE - 1);
	/* Memory for both writing and running is refused to many. */
	const struct envoy_call calls[] = {
		{ SYS_mmap,
		  { block + ENVOY_DATA, ENVOY_SIZE - ENVOY_DATA,
		    PROT_READ | PROT_WRITE, flags, UINT64_MAX, 0 } },
		{ SYS_mmap,
		  { block, ENVOY_PAGE, PROT_READ | PROT_EXEC, flags, UINT64_MAX,
		    0 } },
	};

	r = do_errand(t, calls, 2, block, err);
	if (r == 0)
		*ret_block = block;
	return r;
}

void block_unmap(struct target *t, uint64_t block)
{
	const struct envoy_call call = { SYS_munmap, { block, ENVOY_SIZE } };

	(void)do_errand(t, &call, 1, block, NULL);
}
