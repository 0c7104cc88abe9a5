/* SPDX-License-Identifier: MIT */
/*
 * See pager.h.  The pager is a child of ours, so that the shell gets its
 * prompt back only when both have ended.
 */
#include "term/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fmt.h"

static struct {
	bool refused;
	pid_t pid; /* 0: none */
} pager;

void pager_allow(bool allow)
{
	pager.refused = !allow;
}

bool pager_is_on(void)
{
	return pager.pid != 0;
}

/* True if there is a program called name in PATH. */
static bool installed(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		const char *end = strchrnul(path, ':');
		char file[4096];

		if (fmt_text(file, sizeof(file), "%.*s/%s", (int)(end - path),
			     path, name) < sizeof(file) &&
		    !access(file, X_OK))
			return true;
		path = *end ? end + 1 : end;
	}
	return false;
}

/* The shell command to run, or NULL for no pager. */
static const char *choose(void)
{
	const char *command = getenv("WICK_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return installed("less") ? "less" : NULL;
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static _Noreturn void become_pager(const char *command, const int *ends)
{
	if (dup2(ends[0], STDIN_FILENO) < 0)
		_exit(127);

	/* Quit if it fits on the screen, pass colours, leave the text there. */
	(void)setenv("LESS", "FRX", 0); /* without it less still works */
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Makes standard output the pipe to the pager; false: it is as it was. */
static bool connect_output(const int *ends)
{
	if (dup2(ends[1], STDOUT_FILENO) < 0)
		return false;
	(void)signal(SIGINT, SIG_IGN); /* can not fail for a valid number */
	(void)signal(SIGQUIT, SIG_IGN);
	return true;
}

void pager_start(void)
{
	const char *command = choose();
	int ends[2];
	pid_t pid;

	if (pager.refused || pager.pid || !command || !isatty(STDOUT_FILENO))
		return;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0)
		become_pager(command, ends);

	if (pid > 0 && connect_output(ends))
		pager.pid = pid;
	close(ends[0]);
	close(ends[1]);
}

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static const int ignored[PAGER_SIGNALS] = { SIGPIPE, SIGINT, SIGQUIT };

bool pager_open(struct pager_pipe *p)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const char *command;
	int ends[2];

	if (pager.refused || pager.pid || !isatty(STDOUT_FILENO))
		return false;
	command = choose();
	if (!command || pipe2(ends, O_CLOEXEC) < 0)
		return false;
	p->pid = fork();
	if (p->pid == 0)
		become_pager(command, ends);

	close(ends[0]);
	p->fd = ends[1];
	if (p->pid < 0) {
		close(ends[1]);
		return false;
	}
	for (size_t i = 0; i < PAGER_SIGNALS; i++)
		(void)sigaction(ignored[i], &ignore, &p->old[i]); /* valid */
	return true;
}

void pager_close(struct pager_pipe *p)
{
	close(p->fd);
	wait_for(p->pid);
	for (size_t i = 0; i < PAGER_SIGNALS; i++)
		(void)sigaction(ignored[i], &p->old[i], NULL); /* as above */
}

void pager_finish(void)
{
	if (!pager.pid)
		return;
	close(STDOUT_FILENO);
	wait_for(pager.pid);
	pager.pid = 0;
}
