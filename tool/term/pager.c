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

#include "base/check.h"
#include "base/fmt.h"
#include "base/sink.h"

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

/* Hands the text to the pager, which may stop reading at any time. */
static void feed(pid_t pid, int fd, struct span text)
{
	static const int signals[] = { SIGPIPE, SIGINT, SIGQUIT };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction old[ARRAY_SIZE(signals)];
	char buf[1];
	struct sink out = sink_to_fd(fd, buf, sizeof(buf));

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)sigaction(signals[i], &ignore, &old[i]); /* valid ones */
	sink_span(&out, text);
	(void)sink_flush(&out); /* the user has read enough */
	close(fd);
	wait_for(pid);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)sigaction(signals[i], &old[i], NULL);
}

bool pager_show(struct span text)
{
	const char *command;
	int ends[2];
	pid_t pid;

	if (pager.refused || pager.pid || !isatty(STDOUT_FILENO))
		return false;
	command = choose();
	if (!command || pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (pid == 0)
		become_pager(command, ends);

	close(ends[0]);
	if (pid > 0)
		feed(pid, ends[1], text);
	else
		close(ends[1]);
	return pid > 0;
}

void pager_finish(void)
{
	if (!pager.pid)
		return;
	close(STDOUT_FILENO);
	wait_for(pager.pid);
	pager.pid = 0;
}
