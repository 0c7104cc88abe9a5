/* SPDX-License-Identifier: MIT */
/* A program of this machine, stepped by the kernel. */
#include <elf.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

static int pending; /* the signal that the next step delivers */

static bool step(struct target *t, int *sig)
{
	int status;

	*sig = pending;
	if (ptrace(PTRACE_SINGLESTEP, t->pid, 0, (long)pending) < 0)
		return false;
	pending = 0;
	if (waitpid(t->pid, &status, 0) != t->pid || !WIFSTOPPED(status))
		return false;
	if (WSTOPSIG(status) != SIGTRAP)
		pending = WSTOPSIG(status);
	return true;
}

static bool state(struct target *t, struct target_state *s)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, t->pid, 0, &r) < 0)
		return false;
	*s = (struct target_state){
		.reg = { r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp,
			 r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15,
			 r.rip },
		.pc = r.rip,
		.sp = r.rsp,
	};
	return true;
}

static size_t read_memory(struct target *t, uint64_t addr, void *to, size_t len)
{
	struct iovec local = { .iov_base = to, .iov_len = len };
	struct iovec remote = { .iov_base = (void *)addr, .iov_len = len };
	ssize_t n = process_vm_readv(t->pid, &local, 1, &remote, 1, 0);

	return n < 0 ? 0 : (size_t)n;
}

/* Exchanges the byte at addr. */
static uint8_t poke(struct target *t, uint64_t addr, uint8_t byte)
{
	long word = ptrace(PTRACE_PEEKTEXT, t->pid, (void *)addr, 0);

	ptrace(PTRACE_POKETEXT, t->pid, (void *)addr,
	       (void *)((word & ~0xffl) | byte));
	return (uint8_t)word;
}

/* Goes on until a breakpoint; false if the program has ended. */
static bool run_to_trap(struct target *t)
{
	int status;

	for (;;) {
		if (ptrace(PTRACE_CONT, t->pid, 0, (long)pending) < 0 ||
		    waitpid(t->pid, &status, 0) != t->pid ||
		    !WIFSTOPPED(status))
			return false;
		pending = 0;
		if (WSTOPSIG(status) == SIGTRAP)
			return true;
		pending = WSTOPSIG(status);
	}
}

static bool run(struct target *t, const uint64_t *stops, size_t n)
{
	const uint8_t breakpoint = 0xcc;
	uint8_t code[TARGET_STOPS];
	struct user_regs_struct r;

	for (size_t i = 0; i < n; i++)
		code[i] = poke(t, stops[i], breakpoint);
	if (!run_to_trap(t))
		return false;
	for (size_t i = 0; i < n; i++)
		poke(t, stops[i], code[i]);
	if (ptrace(PTRACE_GETREGS, t->pid, 0, &r) < 0)
		return false;
	r.rip--;
	return ptrace(PTRACE_SETREGS, t->pid, 0, &r) == 0;
}

static size_t read_maps(struct target *t, struct target_map *maps, size_t max)
{
	char path[64];
	char line[512];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", t->pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (n < max && fgets(line, sizeof(line), f)) {
		struct target_map *m = &maps[n];
		unsigned long lo;
		unsigned long hi;
		unsigned long offset;
		char mode[8];

		m->path[0] = '\0';
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %255[^\n]", &lo, &hi,
			   mode, &offset, m->path) < 4)
			continue;
		m->lo = lo;
		m->hi = hi;
		m->offset = offset;
		m->executable = mode[2] == 'x';
		n++;
	}
	fclose(f);
	return n;
}

static struct target target_of(char **argv)
{
	return (struct target){
		.machine = EM_X86_64,
		.step = step,
		.state = state,
		.run = run,
		.read = read_memory,
		.maps = read_maps,
		.path = realpath(argv[0], NULL),
	};
}

void target_seized(struct target *t, char **argv)
{
	int ready[2];
	char c = 0;

	*t = target_of(argv);
	if (pipe(ready) < 0)
		err(1, "pipe");
	t->pid = fork();
	if (!t->pid) {
		if (read(ready[0], &c, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, t->pid, 0, PTRACE_O_EXITKILL) < 0 ||
	    write(ready[1], &c, 1) != 1)
		err(1, "cannot trace %s", argv[0]);
}

void target_ptrace(struct target *t, char **argv)
{
	int status;

	*t = target_of(argv);
	t->pid = fork();
	if (t->pid < 0)
		err(1, "fork");
	if (!t->pid) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (waitpid(t->pid, &status, 0) != t->pid || !WIFSTOPPED(status))
		errx(1, "cannot start %s", argv[0]);
	ptrace(PTRACE_SETOPTIONS, t->pid, 0, PTRACE_O_EXITKILL);
}
