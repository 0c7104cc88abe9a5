/* SPDX-License-Identifier: MIT */
/*
 * Which code is mapped where, and how to unwind it.  It is learnt from the
 * kernel (/proc/self/maps) and from files, never from the dynamic loader: its
 * lock may be held by the very thread that waits for us.
 */
#include "agent/code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "base/xxh64.h"
#include "elf/image.h"
#include "symbol/file.h"
#include "symbol/maps.h"
#include "unwind/object.h"

enum {
	CHUNK = 64 * 1024,
	PATH_SIZE = 4096,
};

const struct code_view *code_enter(struct code *c, uint32_t *token)
{
	uint32_t epoch = atomic_load(&c->epoch) & 1;

	/*
	 * All in one order with code_collect(): either it sees us inside, or
	 * we see the view that it published before it looked.
	 */
	atomic_fetch_add(&c->inside[epoch], 1);
	*token = epoch;
	return atomic_load(&c->view);
}

void code_leave(struct code *c, uint32_t token)
{
	atomic_fetch_sub(&c->inside[token], 1);
}

/* Unmaps the views that were retired before both kinds of guests had gone. */
void code_collect(struct code *c)
{
	uint32_t old = ~atomic_load(&c->epoch) & 1;
	struct code_view **at = &c->retired;
	bool empty = !atomic_load(&c->inside[old]);

	if (!*at)
		return;
	while (*at) {
		struct code_view *v = *at;

		v->drained[old] |= empty;
		if (!v->drained[0] || !v->drained[1]) {
			at = &v->next;
			continue;
		}
		*at = v->next;
		munmap(v, v->size);
	}
	/* New handlers count elsewhere now, so that the others run out. */
	if (empty)
		atomic_fetch_add(&c->epoch, 1);
}

int code_read_text(const char *path, struct arena *arena, struct span *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sink all = sink_to_memory(arena);
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0) {
		char *room = sink_room(&all, CHUNK);

		n = room ? read(fd, room, CHUNK) : -1;
		if (n > 0)
			sink_filled(&all, (size_t)n);
	}
	close(fd);
	if (n < 0)
		return -EIO;
	*ret = sink_bytes(&all);
	return 0;
}

static bool is_vdso(const struct code_file *f)
{
	return !strcmp(f->path, "[vdso]");
}

static bool same_file(const struct code_file *f, const struct map_line *line,
		      struct span path)
{
	return f->inode == line->inode && f->major == line->major &&
	       f->minor == line->minor && span_equal(span_text(f->path), path);
}

/* Handlers point at its table, so it must never move. */
static struct code_file *new_file(struct code *c)
{
	struct code_file *f = ARENA_NEW(&c->arena, struct code_file);
	struct code_file **row = f ? VEC_PUSH(&c->files, &c->arena) : NULL;

	if (!row)
		return NULL;
	*row = f;
	return f;
}

/* The number of the file of a mapping; 0: it has none, or no memory. */
static uint32_t file_of(struct code *c, const struct map_line *line)
{
	char path[PATH_SIZE];
	struct span text = span_of(path, maps_path(line, path, sizeof(path)));
	struct code_file *f;

	if (!text.len || (path[0] != '/' && strcmp(path, "[vdso]") != 0))
		return 0;
	/* Few files, and most mappings follow one of the same file. */
	for (uint32_t i = c->files.count; i-- > 1;)
		if (same_file(c->files.at[i], line, text))
			return i;
	f = new_file(c);
	if (!f)
		return 0;
	*f = (struct code_file){
		.major = line->major,
		.minor = line->minor,
		.inode = line->inode,
		.path = arena_text(&c->arena, path, text.len),
		.deleted = line->deleted,
	};
	if (!f->path)
		f->path = "";
	return c->files.count - 1;
}

static int start(struct code *c)
{
	struct code_file *f;

	if (c->files.count)
		return 0;
	f = new_file(c);
	if (!f)
		return -ENOMEM;
	*f = (struct code_file){ .path = "", .state = CODE_READ };
	return 0;
}

static int take_line(struct code *c, const struct map_line *line)
{
	struct code_extent *e = VEC_PUSH(&c->extents, &c->arena);
	struct code_map *m;

	if (!e)
		return -ENOMEM;
	*e = (struct code_extent){ line->start, line->end };
	/* The kernel's own page of calls is where nobody unwinds from. */
	if (!line->executable || line->start >> 63)
		return 0;
	m = VEC_PUSH(&c->maps, &c->arena);
	if (!m)
		return -ENOMEM;
	*m = (struct code_map){
		.lo = line->start,
		.hi = line->end,
		.offset = line->offset,
		.file = file_of(c, line),
	};
	return 0;
}

static uint64_t hash_maps(const struct code *c)
{
	return xxh64(span_of(c->maps.at, c->maps.count * sizeof(*c->maps.at)));
}

int code_refresh(struct code *c)
{
	struct arena scratch = { 0 };
	uint64_t before = hash_maps(c);
	struct map_line line;
	struct reader lines;
	struct span text;
	int r = code_read_text("/proc/self/maps", &scratch, &text);

	if (r == 0 && xxh64(text) == c->hash) {
		arena_release(&scratch);
		return 0;
	}
	if (r == 0)
		r = start(c);
	if (r == 0) {
		c->hash = xxh64(text);
		c->maps.count = 0;
		c->extents.count = 0;
		lines = reader_of(text);
		while (r == 0 && maps_next(&lines, &line))
			r = take_line(c, &line);
	}
	arena_release(&scratch);
	if (r < 0)
		return r;
	if (hash_maps(c) != before || !c->generation)
		c->generation++;
	code_publish(c);
	return 0;
}

const struct code_map *code_find(const struct code *c, uint64_t pc)
{
	uint32_t low = 0, high = c->maps.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->maps.at[middle].hi <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->maps.count && c->maps.at[low].lo <= pc
		       ? &c->maps.at[low]
		       : NULL;
}

bool code_has(const struct code_view *v, uint64_t pc)
{
	return unwind_map_module(&v->map, pc) != NULL;
}

bool code_is_unread(const struct code_view *v, uint64_t pc)
{
	const struct unwind_module *m = unwind_map_module(&v->map, pc);

	return m && v->unread[m - v->map.modules];
}

uint64_t code_extent_end(const struct code_view *v, uint64_t a, uint64_t b)
{
	uint32_t low = 0, high = v->extent_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (v->extents[middle].hi <= a)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == v->extent_count || a < v->extents[low].lo ||
	    b < v->extents[low].lo || b > v->extents[low].hi)
		return 0;
	return v->extents[low].hi;
}

uint64_t code_file_address(const struct code_file *f, uint64_t offset)
{
	for (unsigned i = 0; i < f->segments; i++)
		if (offset - f->offset[i] < f->size[i])
			return offset - f->offset[i] + f->address[i];
	return offset;
}

static void read_segments(struct code_file *f, const struct elf *elf)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++) {
		/* Mappings are of whole pages. */
		uint64_t before = s.offset & 4095;

		if (s.type != PT_LOAD || !(s.flags & PF_X) ||
		    f->segments == ARRAY_SIZE(f->offset))
			continue;
		f->offset[f->segments] = s.offset - before;
		f->address[f->segments] = s.address - before;
		f->size[f->segments++] = s.file_size + before + 4095;
	}
}

static void read_image(struct code *c, struct code_file *f, struct span image)
{
	struct arena scratch = { 0 };
	struct span made;
	struct elf elf;
	void *copy;

	if (elf_open(&elf, image, NULL) < 0)
		return;
	read_segments(f, &elf);
	(void)build_id_of(&elf, &f->id);
	if (unwind_object(&elf, NULL, &scratch, &made, NULL) == 0) {
		copy = arena_alloc(&c->arena, made.len);
		if (copy)
			memcpy(copy, made.at, made.len);
		if (!copy ||
		    unwind_table_open(&f->table, span_of(copy, made.len),
				      NULL) < 0)
			f->table = (struct unwind_table){ 0 };
	}
	arena_release(&scratch);
}

struct span code_vdso(const struct code *c)
{
	uint64_t at = getauxval(AT_SYSINFO_EHDR);
	const struct code_map *m = at ? code_find(c, at) : NULL;

	if (!m)
		return (struct span){ 0 };
	return span_of((const void *)at, m->hi - at);
}

static bool is_same(const char *path, const struct code_file *f)
{
	struct stat st;

	/* Overlay file systems show another device than the kernel does. */
	return stat(path, &st) == 0 && st.st_ino == f->inode;
}

/* The file itself, also where its name is gone or taken. */
static int copy_file(const struct code_file *f, const struct code_map *m,
		     struct mapped_file *ret)
{
	char path[64];

	if (!f->deleted && is_same(f->path, f))
		return file_copy_in(ret, NULL, f->path, NULL);
	fmt_text(path, sizeof(path), "/proc/self/map_files/%llx-%llx",
		 (unsigned long long)m->lo, (unsigned long long)m->hi);
	return file_copy_in(ret, NULL, path, NULL);
}

bool code_read(struct code *c, const struct code_map *m)
{
	struct code_file *f = c->files.at[m->file];
	struct mapped_file file;

	if (f->state != CODE_UNREAD)
		return false;
	f->state = CODE_READ;
	if (is_vdso(f)) {
		read_image(c, f, code_vdso(c));
	} else if (copy_file(f, m, &file) == 0) {
		read_image(c, f, file.bytes);
		file_unmap(&file);
	}
	c->generation++;
	return true;
}

/* Fills what handlers see; v has room for it. */
static void fill_view(const struct code *c, struct code_view *v)
{
	struct unwind_module *modules = (struct unwind_module *)(v + 1);
	struct code_extent *extents = (struct code_extent *)(modules +
							     c->maps.count);
	bool *unread = (bool *)(extents + c->extents.count);

	for (uint32_t i = 0; i < c->maps.count; i++) {
		const struct code_map *m = &c->maps.at[i];
		const struct code_file *f = c->files.at[m->file];

		modules[i] = (struct unwind_module){
			.lo = m->lo,
			.hi = m->hi,
			.bias = m->lo - code_file_address(f, m->offset),
			.table = f->table.n_rows ? &f->table : NULL,
		};
		unread[i] = f->state == CODE_UNREAD;
	}
	if (c->extents.count)
		memcpy(extents, c->extents.at,
		       c->extents.count * sizeof(*extents));
	v->map = (struct unwind_map){ .modules = modules,
				      .count = c->maps.count,
				      .generation = c->generation };
	v->unread = unread;
	v->extents = extents;
	v->extent_count = c->extents.count;
}

void code_publish(struct code *c)
{
	size_t size = sizeof(struct code_view) +
		      c->maps.count * (sizeof(struct unwind_module) + 1) +
		      c->extents.count * sizeof(struct code_extent);
	struct code_view *v = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct code_view *old;

	/* Without memory, handlers go on with what they have. */
	if (v == MAP_FAILED)
		return;
	v->size = size;
	fill_view(c, v);
	old = atomic_exchange(&c->view, v);
	if (old) {
		old->next = c->retired;
		c->retired = old;
	}
}
