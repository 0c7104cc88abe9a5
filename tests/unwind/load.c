/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "unwind/object.h"

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void load_file(struct loaded *l, const char *path)
{
	struct error error = { 0 };
	struct stat st;
	void *bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*l = (struct loaded){ 0 };
	if (fd < 0 || fstat(fd, &st) < 0)
		err(1, "%s", path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	l->file = span_of(bytes, (size_t)st.st_size);
	snprintf(l->path, sizeof(l->path), "%s", path);
	if (elf_open(&l->elf, l->file, &error) < 0)
		errx(1, "%s: %s", path, error.text);
}

int load_table(struct loaded *l, const char *path)
{
	struct error error = { 0 };
	int ret;

	load_file(l, path);
	ret = unwind_object(&l->elf, NULL, &l->arena, &l->image, &error);
	if (ret == 0)
		ret = unwind_table_open(&l->table, l->image, &error);
	if (ret < 0)
		warnx("%s: %s", path, error.text);
	return ret;
}
