/* SPDX-License-Identifier: MIT */
/* See procfile.h. */
#include "collect/procfile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
