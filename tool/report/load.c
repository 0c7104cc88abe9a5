/* SPDX-License-Identifier: MIT */
/*
 * From a name to a profile.  Files are mapped; what can not be mapped (pipes,
 * standard input, /proc) is read to its end first.
 */
#include "report/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/span.h"
#include "format/format.h"
#include "profile/profile.h"

#define DEFAULT_LIMIT ((uint64_t)16 << 30)

enum {
	INPUT_SHARE = 4, /* of the limit that the input may take */
	READ_STEP = 1 << 20,
};

/* The bytes of a file: mapped from it, or in an arena. */
struct input {
	struct span data;
	void *mapping; /* NULL: not mapped */
	struct arena arena;
};

/* "8G" and the like; false if text is no such size. */
static bool parse_size(const char *text, uint64_t *ret)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (errno || !*ret)
		return false;
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		end++;
		for (; unit >= units; unit--)
			if (__builtin_mul_overflow(*ret, 1024, ret))
				return false;
	}
	return !*end;
}

static int find_limit(uint64_t *ret, struct error *err)
{
	const char *text = getenv("WICK_MEMORY_LIMIT");

	*ret = DEFAULT_LIMIT;
	if (!text || !*text || parse_size(text, ret))
		return 0;
	return error_set(err, -EINVAL,
			 "WICK_MEMORY_LIMIT is '%s', not a size such as 8G",
			 text);
}

static int map_input(struct input *in, int fd, size_t size, struct error *err)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED)
		return error_set_errno(err, -errno, "cannot map it");
	in->mapping = p;
	in->data = span_of(p, size);
	return 0;
}

static int read_input(struct input *in, int fd, uint64_t limit,
		      struct error *err)
{
	struct sink all = sink_to_memory(&in->arena);

	for (;;) {
		char *room = sink_room(&all, READ_STEP);
		ssize_t n = room ? read(fd, room, READ_STEP) : -1;

		if (!room)
			return error_set(err, -ENOMEM, "out of memory");
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, -errno, "cannot read it");
		if (!n)
			break;
		sink_filled(&all, (size_t)n);
		if (all.total > limit)
			return error_set(err, -EFBIG,
					 "it is larger than %llu MiB",
					 (unsigned long long)limit >> 20);
	}
	in->data = sink_bytes(&all);
	return 0;
}

static int take_input(struct input *in, int fd, uint64_t limit,
		      struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_set_errno(err, -errno, "cannot read it");
	if (S_ISDIR(st.st_mode))
		return error_set(err, -EISDIR, "it is a folder");
	/* Standard input may stand in the middle of a file. */
	if (S_ISREG(st.st_mode) && st.st_size > 0 && fd != STDIN_FILENO)
		return map_input(in, fd, (size_t)st.st_size, err);
	return read_input(in, fd, limit, err);
}

static void drop_input(struct input *in)
{
	if (in->mapping)
		ASSERT(munmap(in->mapping, in->data.len) == 0);
	arena_release(&in->arena);
}

/* Makes p empty and sets limits; *ret_limit is that of what is read. */
static int prepare(struct profile *p, struct arena *arena, uint64_t *ret_limit,
		   struct error *err)
{
	uint64_t limit;
	int r = find_limit(&limit, err);

	if (r < 0)
		return r;
	if (!arena->limit)
		arena->limit = limit;
	*ret_limit = limit / INPUT_SHARE;
	r = profile_init(p, arena);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static int load(struct profile *p, struct arena *arena, int fd,
		struct error *err)
{
	struct input in = { 0 };
	uint64_t limit;
	int r = prepare(p, arena, &limit, err);

	if (r < 0)
		return r;
	r = take_input(&in, fd, limit, err);
	if (r == 0)
		r = format_consume(p, in.data, limit, err);
	drop_input(&in);
	return r;
}

int profile_load_bytes(struct profile *p, struct arena *arena,
		       struct span bytes, struct error *err)
{
	uint64_t limit;
	int r = prepare(p, arena, &limit, err);

	return r < 0 ? r : format_read(p, bytes, limit, err);
}

int profile_load(struct profile *p, struct arena *arena, const char *path,
		 struct error *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return error_set_errno(err, -errno, "'%s'", path);
	r = load(p, arena, fd, err);
	if (r < 0)
		error_prefix(err, standard ? "standard input" : "'%s'", path);
	if (!standard)
		close(fd);
	return r;
}
