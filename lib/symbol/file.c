/* SPDX-License-Identifier: MIT */
/* Mapping files.  Object files are read in place; nothing copies them. */
#include "symbol/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"

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

int file_map(struct mapped_file *f, const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r;

	if (fd < 0)
		return error_set_errno(err, -errno, "cannot open '%s'", path);
	r = map_fd(f, fd);
	close(fd);
	if (r < 0)
		return error_set_errno(err, r, "cannot read '%s'", path);
	return 0;
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
