/* SPDX-License-Identifier: MIT */
/* See program.h. */
#include "collect/program.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

enum { PATIENCE_MS = 1000, STEP_MS = 10 };

/* The child's side.  Between fork and exec, in a process with one thread. */
static _Noreturn void become(char **argv, int go, int failed,
			     const sigset_t *mask)
{
	char byte;
	int error;

	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* Nothing comes if wick has died meanwhile. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	execvp(argv[0], argv);
	error = errno;
	(void)!write(failed, &error, sizeof(error));
	_exit(127);
}

int program_prepare(struct program *p, char **argv, const sigset_t *mask,
		    struct error *err)
{
	int go[2];
	int failed[2];

	if (pipe2(go, O_CLOEXEC) < 0)
		return error_set_errno(err, -errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return error_set_errno(err, -errno, "cannot make a pipe");
	}
	*p = (struct program){ .pid = fork(),
			       .go = go[1],
			       .failed = failed[0] };
	if (p->pid == 0) {
		close(go[1]);
		become(argv, go[0], failed[1], mask);
	}
	close(go[0]);
	close(failed[1]);
	if (p->pid > 0)
		return 0;
	close(go[1]);
	close(failed[0]);
	p->pid = 0;
	return error_set_errno(err, -errno, "cannot start a process");
}

int program_go(struct program *p, const char *name, struct error *err)
{
	int error = 0;
	ssize_t n;

	p->let_go = true;
	(void)!write(p->go, "", 1); /* if it is gone, we shall see */
	close(p->go);
	p->go = -1;
	do
		n = read(p->failed, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	close(p->failed);
	p->failed = -1;
	if (n != sizeof(error))
		return 0;
	program_poll(p, true);
	return error_set_errno(err, -error, "cannot run '%s'", name);
}

void program_poll(struct program *p, bool wait)
{
	pid_t pid;

	if (!p->pid || p->ended)
		return;
	do
		pid = wait4(p->pid, &p->status, wait ? 0 : WNOHANG, &p->used);
	while (pid < 0 && errno == EINTR);
	p->ended = pid != 0;
}

void program_end(struct program *p)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000 };

	if (!p->pid)
		return;
	if (p->go >= 0)
		close(p->go);
	if (p->failed >= 0)
		close(p->failed);
	program_poll(p, false);
	if (p->ended)
		return;
	kill(p->pid, SIGTERM);
	for (int ms = 0; ms < PATIENCE_MS && !p->ended; ms += STEP_MS) {
		nanosleep(&step, NULL);
		program_poll(p, false);
	}
}

int program_status(const struct program *p)
{
	if (!p->let_go)
		return 0;
	if (WIFSIGNALED(p->status))
		return 128 + WTERMSIG(p->status);
	return WIFEXITED(p->status) ? WEXITSTATUS(p->status) : 0;
}
