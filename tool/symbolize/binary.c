/* SPDX-License-Identifier: MIT */
/* What a file is by its first bytes: see binary.h. */
#include "symbolize/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"

enum { MAGIC = 4 };

static bool is_binary(const char magic[MAGIC])
{
	static const struct {
		char bytes[MAGIC];
		size_t len;
	} known[] = {
		{ "\177ELF", 4 },	   { "MZ", 2 },
		{ "\xfe\xed\xfa\xce", 4 }, { "\xce\xfa\xed\xfe", 4 },
		{ "\xfe\xed\xfa\xcf", 4 }, { "\xcf\xfa\xed\xfe", 4 },
		{ "\xca\xfe\xba\xbe", 4 }, { "\xbe\xba\xfe\xca", 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!memcmp(magic, known[i].bytes, known[i].len))
			return true;
	return false;
}

static int read_magic(int fd, const char *path, char magic[MAGIC],
		      struct error *err)
{
	ssize_t len = read(fd, magic, MAGIC);

	if (len == MAGIC)
		return 0;
	if (len < 0)
		return error_set_reason(
			err, -errno,
			"error reading magic number from %s: read %s", path,
			path);
	return error_set(err, -ENODATA,
			 "error reading magic number from %s: %sEOF", path,
			 len ? "unexpected " : "");
}

int binary_check(const char *path, struct error *err)
{
	char magic[MAGIC];
	struct stat st;
	int fd, r;

	if (stat(path, &st) < 0)
		return error_set_reason(err, -errno, "stat %s", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set_reason(
			err, -errno, "error opening %s: open %s", path, path);
	r = read_magic(fd, path, magic, err);
	close(fd);
	if (r == 0 && !is_binary(magic))
		r = error_set(err, -ENOEXEC, "unrecognized binary format: %s",
			      path);
	return r;
}
