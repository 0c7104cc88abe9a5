/* SPDX-License-Identifier: MIT */
/*
 * From a mapping to the file behind it.  Its path is the last thing to trust:
 * the file may have been replaced or deleted, or be another one in the
 * process's container.  So the kernel's own links to mapped files come first,
 * and a file found by its path must have the build id that the process has in
 * its memory.
 */
#include "symbolize/codefiles.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "symbol/maps.h"
#include "symbolize/procfs.h"

enum {
	LINK_LEN = 96,
	HEADER_MOST = 64 * 1024, /* notes stand near the start of a file */
	VDSO_MOST = 1 << 20,
};

static struct code_file *find(const struct code_files *all,
			      const struct map_line *line)
{
	for (uint32_t i = 0; i < all->file.count; i++) {
		struct code_file *f = all->file.at[i];

		if (line->inode && f->inode == line->inode &&
		    f->major == line->major && f->minor == line->minor)
			return f;
	}
	return NULL;
}

static const char *keep(struct code_files *all, const char *text)
{
	const char *kept = arena_text(&all->arena, text, strlen(text));

	return kept ? kept : "";
}

static void set_reason(struct code_files *all, struct code_file *f,
		       const char *reason)
{
	f->reason = keep(all, reason);
	f->state = CODE_FILE_FAILED;
}

/* Whether two links of the kernel's lead to the same thing. */
static bool same_target(const char *a, const char *b)
{
	char to_a[LINK_LEN], to_b[LINK_LEN];
	ssize_t n = readlink(a, to_a, sizeof(to_a));

	return n > 0 && n < LINK_LEN && readlink(b, to_b, sizeof(to_b)) == n &&
	       !memcmp(to_a, to_b, (size_t)n);
}

/* Whether a process sees the file system as we do. */
static bool sees_the_same(pid_t pid)
{
	char ns[LINK_LEN], root[LINK_LEN];

	fmt_text(ns, sizeof(ns), "/proc/%d/ns/mnt", pid);
	fmt_text(root, sizeof(root), "/proc/%d/root", pid);
	return same_target(ns, "/proc/self/ns/mnt") &&
	       same_target(root, "/proc/self/root");
}

static const char *root_of(struct code_files *all, pid_t pid)
{
	char root[LINK_LEN];

	if (sees_the_same(pid))
		return "";
	fmt_text(root, sizeof(root), "/proc/%d/root", pid);
	return keep(all, root);
}

static struct code_file *new_file(struct code_files *all, pid_t pid,
				  const struct map_line *line, const char *path)
{
	struct code_file *f = ARENA_NEW(&all->arena, struct code_file);
	struct code_file **place = VEC_PUSH(&all->file, &all->arena);
	char text[SEARCH_PATH];

	if (!f || !place)
		return NULL;
	*f = (struct code_file){
		.path = keep(all, path),
		.root = root_of(all, pid),
		.deleted = line->deleted,
		.inode = line->inode,
		.major = line->major,
		.minor = line->minor,
	};
	fmt_text(text, sizeof(text), "%s%s", f->root, path);
	f->name = keep(all, text);
	*place = f;
	return f;
}

/* The build id in the first bytes of the file as they lie in memory. */
static struct build_id id_in_memory(const struct code_mapping *m)
{
	static uint8_t header[HEADER_MOST];
	struct build_id id = { 0 };
	struct elf elf;
	size_t len;

	len = m->first ? procfs_memory(m->pid, m->first, header, sizeof(header))
		       : 0;
	if (elf_open(&elf, span_of(header, len), NULL) == 0)
		(void)build_id_of(&elf, &id);
	return id;
}

/* Holds the file at a link of the kernel's, which needs no check. */
static bool hold_link(struct code_files *all, struct code_file *f,
		      const char *link)
{
	if (file_map(&f->held, link, NULL) < 0)
		return false;
	f->opened = keep(all, link);
	return true;
}

static bool hold_map_file(struct code_files *all, struct code_file *f,
			  const struct code_mapping *m)
{
	char link[LINK_LEN];

	fmt_text(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", m->pid,
		 (unsigned long long)m->line->start,
		 (unsigned long long)m->line->end);
	return hold_link(all, f, link);
}

/* The program itself has a link that needs no privilege. */
static bool hold_program(struct code_files *all, struct code_file *f,
			 const struct code_mapping *m)
{
	char link[LINK_LEN];
	struct stat st;

	fmt_text(link, sizeof(link), "/proc/%d/exe", m->pid);
	return stat(link, &st) == 0 && st.st_ino == m->line->inode &&
	       major(st.st_dev) == m->line->major &&
	       minor(st.st_dev) == m->line->minor && hold_link(all, f, link);
}

/* Whether a file found by its path is the one that is mapped. */
static bool is_same(const struct code_file *f, const struct mapped_file *file,
		    bool deleted)
{
	struct build_id id = { 0 };
	struct elf elf;

	if (!f->id.len)
		return !deleted;
	return elf_open(&elf, file->bytes, NULL) == 0 &&
	       build_id_of(&elf, &id) && build_id_equal(&id, &f->id);
}

static void hold_path(struct code_files *all, struct code_file *f,
		      const struct code_mapping *m)
{
	struct mapped_file file;
	struct error err;

	if (file_map_in(&file, f->root, f->path, &err) < 0) {
		if (m->line->deleted)
			error_set(&err, -ENOENT,
				  "deleted while in use; only root can still "
				  "read it");
		set_reason(all, f, err.text);
		return;
	}
	if (!is_same(f, &file, m->line->deleted)) {
		file_unmap(&file);
		set_reason(all, f,
			   "replaced since the process started; only root can "
			   "still read the old file");
		return;
	}
	f->held = file;
	f->opened = f->name;
}

struct code_file *code_files_add(struct code_files *all,
				 const struct code_mapping *mapping)
{
	struct code_file *f = find(all, mapping->line);

	if (f)
		return f;
	f = new_file(all, mapping->pid, mapping->line, mapping->path);
	if (!f)
		return NULL;
	f->id = id_in_memory(mapping);
	if (!hold_map_file(all, f, mapping) && !hold_program(all, f, mapping))
		hold_path(all, f, mapping);
	return f;
}

struct code_file *code_files_add_vdso(struct code_files *all, pid_t pid,
				      const struct map_line *line)
{
	struct code_file *f = new_file(all, pid, line, "[vdso]");
	size_t len = line->end - line->start;
	uint8_t *bytes;
	size_t got;

	if (!f || len > VDSO_MOST)
		return NULL;
	bytes = arena_alloc(&all->arena, len);
	if (!bytes)
		return NULL;
	got = procfs_memory(pid, line->start, bytes, len);
	/* Not everybody may read another's memory; ours has the same one. */
	if (!got)
		got = procfs_memory(getpid(), getauxval(AT_SYSINFO_EHDR), bytes,
				    len);
	f->image = span_of(bytes, got);
	f->name = f->path;
	f->opened = "memory of the process";
	if (!f->image.len)
		set_reason(all, f, "cannot read the memory of the process");
	return f;
}

bool code_file_load(struct code_files *all, struct code_file *f)
{
	struct symbol_request request = all->request;
	struct error err;
	int r;

	if (f->state != CODE_FILE_HELD)
		return f->state == CODE_FILE_OPEN;
	request.root = f->root;
	request.expected = (struct build_id){ 0 };
	if (f->image.len)
		r = symbol_file_open_image(&f->file, f->image, f->name,
					   &request, &err);
	else
		r = symbol_file_open_mapped(&f->file, &f->held, f->name,
					    &request, &err);
	if (r < 0)
		set_reason(all, f, err.text);
	else
		f->state = CODE_FILE_OPEN;
	return r == 0;
}

void code_files_close(struct code_files *all)
{
	for (uint32_t i = 0; i < all->file.count; i++) {
		if (all->file.at[i]->state == CODE_FILE_OPEN)
			symbol_file_close(&all->file.at[i]->file);
		else
			file_unmap(&all->file.at[i]->held);
	}
	all->file.count = 0;
	all->file.capacity = 0;
	arena_release(&all->arena);
}
