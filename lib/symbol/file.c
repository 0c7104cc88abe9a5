/* SPDX-License-Identifier: MIT */
/*
 * Mapping files.  Object files are read in place; who cannot afford a fault has
 * them copied (copy.c).  Files of a container are opened so that a link in it,
 * which the container's owner made, cannot lead to a file of ours.
 */
#include "symbol/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/hash.h"

enum {
	PATH_LEN = 4096,
};

static uint64_t identity_of(const struct stat *st)
{
	uint64_t h = hash_mix((uint64_t)st->st_size, (uint64_t)st->st_ino);

	h = hash_mix(h, (uint64_t)st->st_mtim.tv_sec);
	return hash_mix(h, (uint64_t)st->st_mtim.tv_nsec);
}

static int map_fd(struct mapped_file *f, int fd)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (st.st_size <= 0)
		return -ENODATA;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*f = (struct mapped_file){
		.bytes = span_of(p, (size_t)st.st_size),
		.identity = identity_of(&st),
	};
	return 0;
}

/* Opening must not wait for, or change, what is not a plain file. */
static const int how_to_open = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/* Opens a path whose links are followed inside root only. */
static int open_confined(const char *root, const char *path)
{
	const struct open_how how = {
		.flags = (uint64_t)how_to_open,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int open_plainly(const char *path, int flags)
{
	int fd = open(path, how_to_open | flags);

	return fd < 0 ? -errno : fd;
}

int file_open_in(const char *root, const char *path)
{
	char whole[PATH_LEN];
	int fd;

	if (!root || !*root)
		return open_plainly(path, 0);
	fd = open_confined(root, path);
	/* Kernels before 5.6 and old sandboxes do not know the call. */
	if (fd != -ENOSYS && fd != -EPERM)
		return fd;
	if (fmt_text(whole, sizeof(whole), "%s%s", root, path) >= sizeof(whole))
		return -ENAMETOOLONG;
	return open_plainly(whole, O_NOFOLLOW);
}

int file_map_in(struct mapped_file *f, const char *root, const char *path,
		struct error *err)
{
	int fd = file_open_in(root, path);
	int r;

	if (fd < 0)
		return error_set_errno(err, fd, "cannot open '%s'", path);
	r = map_fd(f, fd);
	close(fd);
	if (r < 0)
		return error_set_errno(err, r, "cannot read '%s'", path);
	return 0;
}

int file_map(struct mapped_file *f, const char *path, struct error *err)
{
	return file_map_in(f, NULL, path, err);
}

void file_forget_pages(const struct mapped_file *f)
{
	/* A hint: when it fails, nothing is lost but memory. */
	if (f->bytes.len)
		(void)madvise((void *)f->bytes.at, f->bytes.len, MADV_DONTNEED);
}

void file_unmap(struct mapped_file *f)
{
	if (f->bytes.len)
		ASSERT(munmap((void *)f->bytes.at, f->bytes.len) == 0);
	*f = (struct mapped_file){ 0 };
}
