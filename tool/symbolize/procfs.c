/* SPDX-License-Identifier: MIT */
/* See procfs.h. */
#include "symbolize/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fmt.h"
#include "base/sink.h"

enum {
	CHUNK = 256 * 1024,
	MOST = 1 << 30,
	PATH_LEN = 64,
	STATUS_LEN = 8192,
};

int procfs_read_fd(int fd, struct arena *arena, struct span *ret)
{
	struct sink all = sink_to_memory(arena);
	ssize_t n = 1;

	while (n > 0 && all.used < MOST) {
		char *room = sink_room(&all, CHUNK);

		if (!room)
			return -ENOMEM;
		n = read(fd, room, CHUNK);
		if (n > 0)
			sink_filled(&all, (size_t)n);
	}
	if (n < 0)
		return -errno;
	*ret = sink_bytes(&all);
	return n ? -EFBIG : 0;
}

int procfs_read(const char *path, struct arena *arena, struct span *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = procfs_read_fd(fd, arena, ret);
	close(fd);
	return r;
}

size_t procfs_memory(pid_t pid, uint64_t address, void *to, size_t len)
{
	char path[PATH_LEN];
	size_t done = 0;
	ssize_t n = 1;
	int fd;

	fmt_text(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (done < len && n > 0) {
		n = pread(fd, (char *)to + done, len - done,
			  (off_t)(address + done));
		if (n > 0)
			done += (size_t)n;
	}
	close(fd);
	return done;
}

pid_t procfs_inner_pid(pid_t pid)
{
	static const char key[] = "\nNSpid:";
	char text[STATUS_LEN + 1];
	char path[PATH_LEN];
	char *at, *end;
	long inner = 0;
	ssize_t n;
	int fd;

	fmt_text(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, STATUS_LEN);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, key);
	if (!at)
		return 0;
	/* One number for each namespace, the innermost last. */
	for (at += sizeof(key) - 1; *at && *at != '\n'; at = end) {
		inner = strtol(at, &end, 10);
		if (end == at)
			break;
	}
	return (pid_t)inner;
}
