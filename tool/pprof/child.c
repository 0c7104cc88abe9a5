/* SPDX-License-Identifier: MIT */
/* See child.h. */
#include "pprof/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sink.h"
#include "pprof/clock.h"

/*
 * Its input as a file in memory: written before it starts, so that nobody has
 * to feed a pipe while reading another.
 */
static int input_file(struct span input)
{
	char buf[1];
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct sink s;

	if (fd < 0)
		return -errno;
	s = sink_to_fd(fd, buf, sizeof(buf));
	sink_span(&s, input);
	if (sink_flush(&s) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

/* Which of our descriptors become its 0, 1, 2 and 3; -1: leave it alone. */
struct plumbing {
	int fd[4];
};

static int spawn(const char *const *argv, const struct plumbing *plumbing)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int r = posix_spawn_file_actions_init(&actions);

	if (r)
		return -r;
	for (int i = 0; i < 4 && !r; i++)
		if (plumbing->fd[i] >= 0)
			r = posix_spawn_file_actions_adddup2(
				&actions, plumbing->fd[i], i);
	if (!r)
		r = posix_spawnp(&pid, argv[0], &actions, NULL,
				 (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return r ? -r : (int)pid;
}

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Reads until the other end is closed; 0 or a negative errno. */
static int drain(int fd, const struct child *c, struct sink *out)
{
	uint64_t total = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int left = clock_left(c->deadline);
		char buf[16384];
		ssize_t n;

		if (poll(&p, 1, left) == 0 || left == 0)
			return -ETIMEDOUT;
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : out->error;
		total += (uint64_t)n;
		if (total > c->limit)
			return -EFBIG;
		sink_write(out, buf, (size_t)n);
	}
}

static int run(const struct child *c, int input, struct sink *out)
{
	int pipe_fd[2];
	int status;
	int pid;
	int r;

	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return -errno;
	pid = spawn(c->argv,
		    &(struct plumbing){
			    { input, pipe_fd[1], c->error_fd, c->third_fd } });
	close(pipe_fd[1]);
	if (pid < 0) {
		close(pipe_fd[0]);
		return pid;
	}
	r = drain(pipe_fd[0], c, out);
	close(pipe_fd[0]);
	if (r < 0)
		kill(pid, SIGKILL);
	status = reap(pid);
	return r < 0 ? r : status;
}

int child_run(const struct child *c, struct sink *out, struct error *err)
{
	int input = input_file(c->input);
	int r = input;

	if (r >= 0) {
		r = run(c, input, out);
		close(input);
	}
	if (r < 0)
		return error_set_errno(err, r, "cannot run '%s'", c->argv[0]);
	return r;
}

int child_start(const char *const *argv)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int r = spawn(argv,
		      &(struct plumbing){ { null, STDERR_FILENO, -1, -1 } });

	close(null);
	return r;
}
