/* SPDX-License-Identifier: MIT */
/* See process.h. */
#include "symbolize/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sort.h"
#include "symbol/maps.h"
#include "symbolize/codefiles.h"
#include "symbolize/procfs.h"

enum {
	PROC_PATH = 64,
};

/* The lines of maps, and what is remembered from one to the next. */
struct walk {
	struct process_code *p;
	char path[SEARCH_PATH];
	uint64_t first; /* where the file of inode starts in memory */
	uint64_t inode;
	char root[PROC_PATH];
};

static void remember_first(struct walk *w, const struct map_line *line)
{
	if (line->inode == w->inode && line->offset)
		return;
	w->inode = line->inode;
	w->first = line->offset ? 0 : line->start;
}

/* The file behind a mapping; NULL: there is none. */
static struct code_file *file_of(struct walk *w, const struct map_line *line)
{
	const struct code_mapping mapping = {
		.pid = w->p->pid,
		.line = line,
		.path = w->path,
		.first = w->first,
	};

	if (!strcmp(w->path, "[vdso]"))
		return code_files_add_vdso(w->p->files, w->p->pid, line);
	if (!line->inode || w->path[0] != '/')
		return NULL;
	return code_files_add(w->p->files, &mapping);
}

static bool add_map(struct walk *w, const struct map_line *line)
{
	struct process_code *p = w->p;
	struct process_map *m = VEC_PUSH(&p->maps, &p->arena);

	if (!m)
		return false;
	*m = (struct process_map){
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.path = arena_text(&p->arena, w->path, strlen(w->path)),
		.file = file_of(w, line),
	};
	return m->path != NULL;
}

static int read_maps(struct walk *w, struct span text)
{
	struct reader r = reader_of(text);
	struct map_line line;

	while (maps_next(&r, &line)) {
		maps_path(&line, w->path, sizeof(w->path));
		remember_first(w, &line);
		if (jit_is_dump(w->path))
			jit_read_dump(&w->p->jit, w->root, w->path);
		else if (line.executable && !add_map(w, &line))
			return -ENOMEM;
	}
	jit_read_perfmap(&w->p->jit, w->p->pid, w->root);
	return 0;
}

static int explain(struct error *err, int code, pid_t pid)
{
	switch (code) {
	case -ENOENT:
	case -ESRCH:
		return error_set(err, -ESRCH, "there is no process %d", pid);
	case -EACCES:
	case -EPERM:
		return error_set(err, code,
				 "process %d belongs to somebody else; run as "
				 "its user or as root",
				 pid);
	default:
		return error_set_errno(err, code,
				       "cannot read the mappings of process %d",
				       pid);
	}
}

int process_open(struct process_code *p, pid_t pid, struct code_files *files,
		 struct error *err)
{
	struct walk w = { .p = p };
	char path[PROC_PATH];
	struct span text;
	int r;

	*p = (struct process_code){ .pid = pid, .files = files };
	fmt_text(w.root, sizeof(w.root), "/proc/%d/root", pid);
	fmt_text(path, sizeof(path), "/proc/%d/maps", pid);
	r = procfs_read(path, &p->arena, &text);
	if (r == 0)
		r = read_maps(&w, text);
	if (r < 0)
		explain(err, r, pid);
	else if (!p->maps.count)
		r = error_set(err, -ENODATA,
			      "process %d has no code: it has ended or is a "
			      "kernel thread",
			      pid);
	if (r < 0)
		process_close(p);
	return r;
}

void process_close(struct process_code *p)
{
	jit_close(&p->jit);
	arena_release(&p->arena);
	*p = (struct process_code){ 0 };
}

const struct process_map *process_map_at(const struct process_code *p,
					 uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = p->maps.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->maps.at[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->maps.count || address < p->maps.at[low].start)
		return NULL;
	return &p->maps.at[low];
}

/* The file that has an address, and where; NULL: none. */
static struct code_file *locate(struct process_code *p, uint64_t address,
				uint64_t *ret)
{
	const struct process_map *m = process_map_at(p, address);

	if (!m || !m->file || !code_file_load(p->files, m->file) ||
	    !elf_offset_to_address(&m->file->file.module.elf,
				   address - m->start + m->offset, ret))
		return NULL;
	return m->file;
}

/* The number of a file in the set; it is there. */
static uint32_t number_of(const struct code_files *files,
			  const struct code_file *f)
{
	uint32_t i = 0;

	while (files->file.at[i] != f)
		i++;
	return i;
}

/* Working memory of a preparation. */
struct places {
	struct sort_item *item; /* key: number of the file; twice count */
	uint64_t *address;	/* in the file, by position of the question */
	uint64_t *sorted;	/* the same by file */
	uint32_t count;
};

static void locate_all(struct process_code *p, const uint64_t *address,
		       uint32_t count, struct places *places)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = places->count;
		struct code_file *f = locate(p, address[i],
					     &places->address[at]);

		if (!f)
			continue;
		places->item[at] = (struct sort_item){
			.key = number_of(p->files, f),
			.id = at,
		};
		places->count++;
	}
	sort_items(places->item, places->item + count, places->count);
	for (uint32_t i = 0; i < places->count; i++)
		places->sorted[i] = places->address[places->item[i].id];
}

/* Prepares each file for its run of addresses. */
static void prepare_files(struct process_code *p, const struct places *places)
{
	uint32_t end;

	for (uint32_t i = 0; i < places->count; i = end) {
		uint64_t key = places->item[i].key;

		for (end = i;
		     end < places->count && places->item[end].key == key;)
			end++;
		symbol_file_prepare(&p->files->file.at[key]->file,
				    places->sorted + i, end - i);
	}
}

void process_prepare(struct process_code *p, const uint64_t *address,
		     size_t count)
{
	struct places places = {
		.item = calloc(2 * count, sizeof(*places.item)),
		.address = calloc(count, sizeof(*places.address)),
		.sorted = calloc(count, sizeof(*places.sorted)),
	};

	/* Without memory the files are read one after the other, later. */
	if (count && count < UINT32_MAX && places.item && places.address &&
	    places.sorted) {
		locate_all(p, address, (uint32_t)count, &places);
		prepare_files(p, &places);
	}
	free(places.sorted);
	free(places.address);
	free(places.item);
}

uint32_t process_find(struct process_code *p, uint64_t address,
		      struct symbol_frame *frames)
{
	uint64_t at;
	struct code_file *f = locate(p, address, &at);
	uint32_t count = f ? module_find(&f->file.module, at, frames) : 0;

	return count ? count : jit_find(&p->jit, address, frames);
}
