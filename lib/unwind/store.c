/* SPDX-License-Identifier: MIT */
/*
 * The folder of tables.  A writer fills a file of its own and renames it; a
 * reader believes nothing that the checksum and unwind_table_open() do not.
 */
#include "unwind/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/fmt.h"
#include "unwind/object.h"
#include "unwind/table.h"

enum {
	PATH = 1024,
	HEX = 2 * UNWIND_KEY_MAX + 1,
	/* The largest objects there are have tables of some 10 MB. */
	LARGEST = 256 << 20,
};

static const char *hex(struct span key, char *text)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	for (size_t i = 0; i < key.len; i++) {
		text[n++] = digits[key.at[i] >> 4];
		text[n++] = digits[key.at[i] & 15];
	}
	text[n] = '\0';
	return text;
}

/* "FOLDER/ab/cdef....unwind"; false if that is too long or has no key. */
static bool make_path(char *path, const char *folder, struct span key)
{
	char text[HEX];

	if (!key.len || key.len > UNWIND_KEY_MAX)
		return false;
	hex(key, text);
	return fmt_text(path, PATH, "%s/%.*s/%s.unwind", folder, 2, text,
			text + 2) < PATH;
}

static int read_all(int fd, uint8_t *to, size_t len)
{
	while (len) {
		ssize_t n = read(fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_image(int fd, struct arena *arena, struct span *image)
{
	struct stat st;
	uint8_t *bytes;
	int ret;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > LARGEST)
		return -EBADMSG;
	bytes = arena_alloc(arena, (size_t)st.st_size);
	if (!bytes)
		return -ENOMEM;
	*image = span_of(bytes, (size_t)st.st_size);
	ret = read_all(fd, bytes, image->len);
	if (ret < 0)
		arena_free(arena, bytes, image->len);
	return ret;
}

static int open_image(struct unwind_table *t, struct span image,
		      struct span key, struct error *err)
{
	int ret = unwind_table_open(t, image, err);

	if (ret < 0)
		return ret;
	if (!span_equal(unwind_table_key(image), key))
		return error_set(err, -EBADMSG, "table of another object");
	return 0;
}

int unwind_store_load(const char *folder, struct span key, struct arena *arena,
		      struct unwind_table *t, struct error *err)
{
	char path[PATH];
	struct span image = { 0 };
	int ret;
	int fd;

	*t = (struct unwind_table){ 0 };
	if (!make_path(path, folder, key))
		return error_set(err, -ENOENT, "no place for the table");
	/* Without blocking: somebody may have put a pipe there. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return error_set_errno(err, -errno, "cannot open '%s'", path);
	ret = read_image(fd, arena, &image);
	(void)close(fd); /* it was only read */
	if (ret < 0)
		return error_set_errno(err, ret, "cannot read '%s'", path);

	ret = open_image(t, image, key, err);
	if (ret < 0) {
		error_prefix(err, "'%s'", path);
		arena_free(arena, (void *)image.at, image.len);
		*t = (struct unwind_table){ 0 };
	}
	return ret;
}

static int write_all(int fd, struct span image)
{
	while (image.len) {
		ssize_t n = write(fd, image.at, image.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		image = span_part(image, (size_t)n, image.len - (size_t)n);
	}
	return 0;
}

/* A name beside path that no other writer has. */
static bool name_spare(char *spare, const char *path)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* O_EXCL decides */
	return fmt_text(spare, PATH, "%s.%d.%ld", path, (int)getpid(),
			(long)now.tv_nsec) < PATH;
}

static int write_file(const char *path, struct span image)
{
	char spare[PATH];
	int ret;
	int fd;

	if (!name_spare(spare, path))
		return -ENAMETOOLONG;
	fd = open(spare, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, image);
	if (close(fd) < 0 && ret == 0)
		ret = -errno;
	/* The wrapper is declared by <stdio.h>, which is not for us. */
	if (ret == 0 &&
	    syscall(SYS_renameat2, AT_FDCWD, spare, AT_FDCWD, path, 0) < 0)
		ret = -errno;
	if (ret < 0)
		(void)unlink(spare); /* at worst it stays as rubbish */
	return ret;
}

/* Makes the folders of path, which ends in "/ab/name"; the last two only. */
static void make_folders(char *path)
{
	char *last = strrchr(path, '/');

	*last = '\0';
	char *first = strrchr(path, '/');

	*first = '\0';
	/* They may be there; if not, opening the file will tell. */
	(void)mkdir(path, 0700);
	*first = '/';
	(void)mkdir(path, 0700);
	*last = '/';
}

int unwind_store_save(const char *folder, struct span image, struct error *err)
{
	char path[PATH];
	int ret;

	if (!make_path(path, folder, unwind_table_key(image)))
		return error_set(err, -EINVAL, "no place for the table");
	make_folders(path);
	ret = write_file(path, image);
	if (ret < 0)
		return error_set_errno(err, ret, "cannot write '%s'", path);
	return 0;
}

int unwind_store_get(const char *folder, const struct elf *elf,
		     const struct elf *debug, struct arena *arena,
		     struct unwind_table *t)
{
	struct unwind_key key = unwind_object_key(elf, debug);
	struct span image = { 0 };
	int ret;

	if (folder && key.len &&
	    unwind_store_load(folder, span_of(key.byte, key.len), arena, t,
			      NULL) == 0)
		return 0;
	ret = unwind_object(elf, debug, arena, &image, NULL);
	if (ret < 0)
		return ret;
	if (folder && key.len)
		(void)unwind_store_save(folder, image, NULL);
	return unwind_table_open(t, image, NULL);
}
