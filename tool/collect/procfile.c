/* SPDX-License-Identifier: MIT */
/* See procfile.h. */
#include "collect/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sink.h"

enum { PIECE = 64 * 1024 };

char *proc_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

long proc_number(const char *path, long otherwise)
{
	char text[64];
	char *end;
	long value = strtol(proc_line(path, text, sizeof(text)), &end, 10);

	return end == text ? otherwise : value;
}

int proc_read(const char *path, struct arena *arena, struct span *ret)
{
	struct sink text = sink_to_memory(arena);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	do {
		char *room = sink_room(&text, PIECE);

		n = room ? read(fd, room, PIECE) : -1;
		if (n > 0)
			sink_filled(&text, (size_t)n);
	} while (n > 0);
	close(fd);
	*ret = sink_bytes(&text);
	return n < 0 ? (errno ? -errno : -ENOMEM) : 0;
}
