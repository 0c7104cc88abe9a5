/* SPDX-License-Identifier: MIT */
/* See object.h. */
#include "pprof/object.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

static const struct {
	const char *bytes;
	size_t len;
} magics[] = {
	{ "\177ELF", 4 },
	{ "\xce\xfa\xed\xfe", 4 }, /* Mach-O of 32 bits */
	{ "\xfe\xed\xfa\xce", 4 },
	{ "\xcf\xfa\xed\xfe", 4 }, /* and of 64 */
	{ "\xfe\xed\xfa\xcf", 4 },
	{ "\xbe\xba\xfe\xca", 4 }, /* several in one */
	{ "\xca\xfe\xba\xbe", 4 },
	{ "MZ", 2 }, /* PE */
};

static ssize_t read_start(const char *path, char *buf, size_t size)
{
	struct stat st;
	int fd;
	ssize_t n;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size);
	close(fd);
	return n;
}

bool object_is_one(const char *path)
{
	char start[4];

	if (read_start(path, start, sizeof(start)) != sizeof(start))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (!memcmp(start, magics[i].bytes, magics[i].len))
			return true;
	return false;
}
