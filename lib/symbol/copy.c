/* SPDX-License-Identifier: MIT */
/*
 * Copying what may be asked of an object file, and not more: the code and data
 * of a program are the largest part of most files, and nobody asks for them
 * here.  What is left out reads as zero, and costs no memory.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "elf/image.h"
#include "symbol/file.h"

enum {
	SMALL = 1 << 20,       /* a section that is copied, whatever it is */
	DEBUG_MAX = 128 << 20, /* of debug information */
	WHOLE_MAX = 64 << 20,  /* of a file whose parts are not known */
};

static bool copy_range(int fd, struct span image, uint64_t offset, uint64_t len)
{
	char *to = (char *)image.at;

	if (offset > image.len || len > image.len - offset)
		return false;
	while (len) {
		ssize_t n = pread(fd, to + offset, len, (off_t)offset);

		if (n <= 0)
			return false;
		offset += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return true;
}

static bool is_debug(const struct elf_section *s)
{
	return strncmp(s->name, ".debug_", 7) == 0 ||
	       strncmp(s->name, ".zdebug_", 8) == 0;
}

static bool is_wanted(const struct elf_section *s)
{
	if (s->type == SHT_NOBITS || s->type == SHT_NULL)
		return false;
	return s->size <= SMALL || !(s->flags & SHF_ALLOC) ||
	       s->type != SHT_PROGBITS || strstr(s->name, "eh_frame") ||
	       strstr(s->name, "gopclntab");
}

static uint64_t debug_size(const struct elf *elf)
{
	struct elf_section s;
	uint64_t total = 0;

	for (uint32_t i = 0; elf_section_at(elf, i, &s); i++)
		if (is_debug(&s) && s.size <= elf->file.len)
			total += s.size;
	return total;
}

/* Debug information that is not copied must not be taken for zeros. */
static void hide(const struct elf *elf, uint32_t i)
{
	Elf64_Shdr *headers = (Elf64_Shdr *)elf->sections.at;

	headers[i].sh_type = SHT_NOBITS;
}

static bool copy_sections(int fd, const struct elf *elf)
{
	bool debug = debug_size(elf) <= DEBUG_MAX;
	struct elf_section s;

	for (uint32_t i = 0; elf_section_at(elf, i, &s); i++) {
		if (is_debug(&s) && !debug)
			hide(elf, i);
		else if (is_wanted(&s) &&
			 !copy_range(fd, elf->file, s.offset, s.size))
			return false;
	}
	return true;
}

/* The tables of headers, and the names of sections; then what they name. */
static bool copy_parts(int fd, struct span image)
{
	Elf64_Ehdr head;
	struct elf_section names;
	struct elf elf;

	if (!copy_range(fd, image, 0, sizeof(head)))
		return false;
	memcpy(&head, image.at, sizeof(head));
	if (!copy_range(fd, image, head.e_phoff,
			(uint64_t)head.e_phnum * sizeof(Elf64_Phdr)) ||
	    !copy_range(fd, image, head.e_shoff,
			(uint64_t)head.e_shnum * sizeof(Elf64_Shdr)) ||
	    elf_open(&elf, image, NULL) < 0 || !elf.section_count ||
	    !elf_section_at(&elf, head.e_shstrndx, &names) ||
	    !copy_range(fd, image, names.offset, names.size) ||
	    elf_open(&elf, image, NULL) < 0)
		return false;
	return head.e_shoff % sizeof(uint64_t) == 0 && copy_sections(fd, &elf);
}

/* Nobody can write to the program that is being run. */
static bool is_running(const struct stat *st)
{
	struct stat own;

	return stat("/proc/self/exe", &own) == 0 && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

static int copy_fd(struct mapped_file *f, int fd, const struct stat *st)
{
	size_t size = (size_t)st->st_size;
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct span image = span_of(p, size);

	if (p == MAP_FAILED)
		return -errno;
	if (!copy_parts(fd, image) &&
	    (size > WHOLE_MAX || !copy_range(fd, image, 0, size))) {
		munmap(p, size);
		return -EIO;
	}
	*f = (struct mapped_file){ .bytes = image };
	return 0;
}

int file_copy_in(struct mapped_file *f, const char *root, const char *path,
		 struct error *err)
{
	int fd = file_open_in(root, path);
	struct stat st;
	int r;

	if (fd < 0)
		return error_set_errno(err, fd, "cannot open '%s'", path);
	r = fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0 && is_running(&st)) {
		close(fd);
		return file_map_in(f, root, path, err);
	}
	if (r == 0 && (!S_ISREG(st.st_mode) || st.st_size <= 0))
		r = -EINVAL;
	if (r == 0)
		r = copy_fd(f, fd, &st);
	close(fd);
	if (r < 0)
		return error_set_errno(err, r, "cannot read '%s'", path);
	return 0;
}
