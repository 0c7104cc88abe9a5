/* SPDX-License-Identifier: MIT */
/*
 * From captures to bytes and files, in a thread of the agent's own: looking up
 * names needs time and stack that a host's thread may not have, and the sampler
 * must go on emptying the ring meanwhile.
 */
#include "agent/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/futex.h"
#include "agent/pieces.h"
#include "agent/sampler.h"
#include "agent/state.h"
#include "agent/toggle.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "format/legacy.h"
#include "format/pprof.h"

enum { PATH_SIZE = 4096 };

static int copy_out(struct span bytes, struct output *ret)
{
	void *p;

	if (!bytes.len)
		return -ENOMEM;
	p = mmap(NULL, bytes.len, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -ENOMEM;
	memcpy(p, bytes.at, bytes.len);
	*ret = (struct output){ .data = p, .size = bytes.len };
	return 0;
}

static int encode(const struct profile *p, enum output_format format,
		  struct output *ret)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	int r = format == OUTPUT_GPERFTOOLS ? legacy_cpu_write(p, &out, NULL)
					    : pprof_write(p, NULL, &out, NULL);

	if (r == 0)
		r = sink_flush(&out);
	if (r == 0)
		r = copy_out(sink_bytes(&out), ret);
	arena_release(&arena);
	return r;
}

void output_run(struct output_job *job)
{
	struct capture_result result;

	job->result = job->capture ? capture_end(job->capture, &result, NULL)
				   : capture_threads(&result, NULL);
	if (job->result < 0)
		return;
	job->result = encode(&result.profile, job->format, &job->output);
	capture_release(&result);
	if (job->result == 0 && job->path) {
		job->result = output_to_file(&job->output, job->path);
		output_release(&job->output);
	}
}

static void worker_run(void *context)
{
	(void)context;
	while (!agent.leaving) {
		uint32_t word = atomic_load_explicit(&agent.worker_wake,
						     memory_order_acquire);
		/* Pairs with output_make(). */
		struct output_job *job = atomic_exchange_explicit(
			&agent.jobs, NULL, memory_order_acquire);

		toggle_serve();
		pieces_serve();
		if (!job) {
			futex_wait(&agent.worker_wake, word, pieces_due());
			continue;
		}
		while (job) {
			struct output_job *next = job->next;

			output_run(job);
			atomic_store_explicit(&job->done, 1,
					      memory_order_release);
			futex_wake(&job->done);
			job = next;
		}
	}
}

void output_poke(void)
{
	atomic_fetch_add_explicit(&agent.worker_wake, 1, memory_order_release);
	futex_wake(&agent.worker_wake);
}

int output_start(void)
{
	int r = sampler_start();

	if (r < 0)
		return r;
	futex_lock(&agent.start_lock);
	if (!atomic_load_explicit(&agent.worker.running,
				  memory_order_acquire)) {
		agent.worker.run = worker_run;
		memcpy(agent.worker.name, "wick-worker", sizeof("wick-worker"));
		r = guest_start(&agent.worker);
	}
	futex_unlock(&agent.start_lock);
	return r;
}

int output_make(struct output_job *job)
{
	int r = output_start();

	if (r < 0) {
		if (job->capture)
			capture_drop(job->capture);
		return r;
	}
	job->next = atomic_load_explicit(&agent.jobs, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&agent.jobs, &job->next,
						      job, memory_order_release,
						      memory_order_relaxed))
		;
	output_poke();
	while (!atomic_load_explicit(&job->done, memory_order_acquire))
		futex_wait(&job->done, 0, 0);
	return job->result;
}

void output_release(struct output *o)
{
	if (o->data)
		munmap(o->data, o->size);
	*o = (struct output){ 0 };
}

int output_to_fd(const struct output *o, int fd)
{
	const char *at = o->data;
	size_t left = o->size;

	while (left) {
		ssize_t n = write(fd, at, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		left -= (size_t)n;
	}
	return 0;
}

/* Devices and pipes are written to where they are. */
static int write_in_place(const struct output *o, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int r;

	if (fd < 0)
		return -errno;
	r = output_to_fd(o, fd);
	close(fd);
	return r;
}

/* Only <stdio.h> declares it, which is not for us. */
static long rename_file(const char *from, const char *to)
{
	return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int output_to_file(const struct output *o, const char *path)
{
	char other[PATH_SIZE];
	struct stat st;
	int fd, r;

	if ((stat(path, &st) == 0 && !S_ISREG(st.st_mode)) ||
	    fmt_text(other, sizeof(other), "%s.%d~", path, (int)getpid()) >=
		    sizeof(other))
		return write_in_place(o, path);
	fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	/* The folder may be closed to us while the file is not. */
	if (fd < 0)
		return write_in_place(o, path);
	r = output_to_fd(o, fd);
	close(fd);
	if (r == 0 && rename_file(other, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(other);
	return r;
}
