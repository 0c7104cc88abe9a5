/* SPDX-License-Identifier: MIT */
/* Processes that fork, run others, and end in every way. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nasty.h"
#include "wick.h"

#pragma weak wick_cpu_start
#pragma weak wick_cpu_stop_memory
#pragma weak wick_free

extern char **environ;

static _Atomic unsigned failures;

static void *allocates(void *context)
{
	(void)context;
	while (more()) {
		void *p[64];

		for (unsigned i = 0; i < 64; i++)
			p[i] = malloc(16 + 37 * i);
		for (unsigned i = 0; i < 64; i++)
			free(p[i]);
	}
	return NULL;
}

/* What a child of a fork does: it allocates, profiles itself, and ends. */
static int be_child(void)
{
	void *data;
	size_t size;

	free(malloc(1000));
	burn(500);
	if (!wick_cpu_start)
		return 0;
	if (wick_cpu_start(NULL) < 0)
		return 2;
	burn(5000);
	if (wick_cpu_stop_memory(&data, &size) < 0)
		return 3;
	wick_free(data, size);
	return 0;
}

static void *forks(void *context)
{
	(void)context;
	for (unsigned i = 0; i < 4 && more(); i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			_exit(be_child());
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			failures++;
		burn(100);
	}
	return NULL;
}

/* R20: forks from many threads while others allocate. */
static int forking(char **arguments)
{
	pthread_t thread[4];

	(void)arguments;
	lasts(2);
	for (unsigned i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, allocates, NULL);
	with_threads(8, forks, NULL);
	lasts(0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return failures ? wrong("a child failed") : 0;
}

/* R21: children that end like their parent, with the same settings. */
static int family(char **arguments)
{
	(void)arguments;
	for (unsigned i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			burn(20000);
			exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	while (more())
		burn(100);
	return 0;
}

/* R22: a fork that takes longer than a period. */
static int large_fork(char **arguments)
{
	const size_t size = (size_t)256 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)arguments;
	madvise(p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		p[i] = 1;
	for (unsigned i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return wrong("no fork");
	}
	return 0;
}

/* R24: another program takes this one's place. */
static int execs(char **arguments)
{
	const char *const command[] = { "sh", "-c",
					"i=0; while [ $i -lt 100000 ]; do "
					"i=$((i+1)); done; echo done",
					NULL };

	(void)arguments;
	burn(10000);
	unsetenv("LD_PRELOAD");
	execve("/bin/sh", (char *const *)command, environ);
	return wrong("no exec");
}

static void *spawns(void *context)
{
	const char *const command[] = { "true", NULL };

	(void)context;
	while (more()) {
		pid_t pid;
		int status;

		if (posix_spawn(&pid, "/bin/true", NULL, NULL,
				(char *const *)command, environ) ||
		    waitpid(pid, &status, 0) != pid || status)
			failures++;
		pid = vfork();
		if (pid == 0)
			_exit(7);
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7)
			failures++;
	}
	return NULL;
}

/* R25: children that share our memory for a while. */
static int spawning(char **arguments)
{
	(void)arguments;
	with_threads(4, spawns, NULL);
	return failures ? wrong("a child failed") : 0;
}

/* R29: the ways to end. */
__attribute__((destructor)) static void allocates_late(void)
{
	free(malloc(100));
	burn(100);
}

static void *volatile nowhere = (void *)8;

static void *ends(void *how)
{
	burn(100000);
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "_exit"))
		_exit(5);
	if (!strcmp(how, "quick_exit"))
		quick_exit(6);
	if (!strcmp(how, "abort"))
		abort();
	/* R34: it crashes. */
	if (!strcmp(how, "crash"))
		*(volatile int *)nowhere = 1;
	return NULL;
}

static int ending(char **arguments)
{
	if (!strcmp(arguments[0], "thread"))
		with_threads(1, ends, (char[]){ "exit" });
	ends(arguments[0]);
	return 0;
}

static int enter_sandbox(void)
{
	/* Whoever calls what a profiler might is killed. */
	const unsigned refused[] = { SYS_process_vm_readv, SYS_perf_event_open,
				     SYS_timer_create, SYS_ptrace };
	struct sock_filter code[16] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	};
	struct sock_fprog program = { .filter = code };
	unsigned n = 1;

	for (unsigned i = 0; i < 4; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						 SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* A host that shuts itself in while it is profiled. */
static int sandboxed(char **arguments)
{
	(void)arguments;
	burn(10000);
	if (enter_sandbox() < 0)
		return wrong("no sandbox");
	while (more())
		burn(100);
	return 0;
}

/* A host that closes all descriptors that it does not know. */
static int closes_all(char **arguments)
{
	(void)arguments;
	while (more()) {
		for (int fd = 3; fd < 256; fd++)
			if (close(fd) == 0)
				return wrong("there was a descriptor");
		burn(1000);
	}
	return 0;
}

/* A host that becomes another user. */
static int changes_user(char **arguments)
{
	(void)arguments;
	burn(20000);
	if (geteuid() == 0 && setuid(65534) < 0)
		return wrong("no other user");
	while (more())
		burn(100);
	return 0;
}

const struct nasty nasty_process[] = {
	{ "forking", forking },		  { "family", family },
	{ "large-fork", large_fork },	  { "execs", execs },
	{ "spawning", spawning },	  { "ending", ending },
	{ "sandboxed", sandboxed },	  { "closes-all", closes_all },
	{ "changes-user", changes_user }, { 0 },
};
