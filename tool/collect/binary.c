/* SPDX-License-Identifier: MIT */
/* See binary.h. */
#include "collect/binary.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/hash.h"
#include "collect/binary_open.h"
#include "elf/image.h"
#include "symbol/file.h"
#include "symbol/maps.h"
#include "symbolize/procfs.h"
#include "symbolize/store.h"
#include "unwind/object.h"
#include "unwind/store.h"

enum {
	OPEN_MAX = 1024, /* files that are held open; others by name later */
	BINARY_PRIORITY = -10,
};

static void read_segments(struct binary *one, const struct elf *elf)
{
	struct elf_segment s;

	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++)
		if (s.type == PT_LOAD && (s.flags & PF_X) &&
		    one->segments < BINARY_SEGMENTS)
			one->segment[one->segments++] = (struct binary_segment){
				.offset = s.offset,
				.size = s.file_size,
				.address = s.address,
			};
}

/*
 * What a table is kept under: the build id, or for the few files without one
 * which file it is and when it was last changed.
 */
static struct unwind_key key_of(const struct binary *one, const struct elf *elf,
				uint64_t identity)
{
	struct unwind_key key = unwind_object_key(elf, NULL);
	const uint64_t words[] = { one->major, one->minor, identity };

	if (key.len || !identity)
		return key;
	memcpy(key.byte, words, sizeof(words));
	key.len = sizeof(words);
	return key;
}

/* Makes a table one that can be kept. */
static void seal_table(struct binary *one, void *image, size_t len,
		       const struct unwind_key *key)
{
	struct unwind_header *head = image;

	if (!key->len)
		return;
	memcpy(head->key, key->byte, key->len);
	head->key_len = key->len;
	unwind_table_seal(image, len);
	one->unsaved = span_of(image, len);
}

/* Compiles the table; what that takes besides the result is given back. */
static void compile(struct binary *one, const struct elf *elf,
		    const struct unwind_key *key)
{
	struct arena scratch = { 0 };
	struct span image;
	void *copy;

	if (unwind_object(elf, NULL, &scratch, &image, NULL) == 0) {
		copy = arena_alloc(&one->arena, image.len);
		if (copy) {
			memcpy(copy, image.at, image.len);
			seal_table(one, copy, image.len, key);
		}
		if (!copy ||
		    unwind_table_open(&one->table, span_of(copy, image.len),
				      NULL) < 0)
			one->table = (struct unwind_table){ 0 };
	}
	arena_release(&scratch);
}

static void read_image(const struct binaries *b, struct binary *one,
		       struct span file, uint64_t identity)
{
	struct unwind_key key;
	struct elf elf;

	if (elf_open(&elf, file, NULL) < 0)
		return;
	read_segments(one, &elf);
	(void)build_id_of(&elf, &one->build_id);
	key = key_of(one, &elf, identity);
	if (*b->folder && key.len &&
	    unwind_store_load(b->folder, span_of(key.byte, key.len),
			      &one->arena, &one->table, NULL) == 0)
		return;
	one->table = (struct unwind_table){ 0 };
	compile(one, &elf, &key);
}

static void read_binary(struct binaries *b, struct binary *one)
{
	struct mapped_file file;
	char path[32];

	if (one->fd < 0)
		return;
	fmt_text(path, sizeof(path), "/proc/self/fd/%d", one->fd);
	if (file_map(&file, path, NULL) < 0)
		return;
	read_image(b, one, file.bytes, file.identity);
	file_unmap(&file);
}

/* The vdso is the same in all processes, this one too. */
struct span binary_vdso_image(void)
{
	uint64_t at = getauxval(AT_SYSINFO_EHDR);
	struct arena arena = { 0 };
	struct span image = { 0 };
	struct map_line line;
	struct reader lines;
	struct span text;

	if (!at || procfs_read("/proc/self/maps", &arena, &text) < 0)
		return image;
	lines = reader_of(text);
	while (!image.len && maps_next(&lines, &line))
		if (line.start == at)
			image = span_of((const void *)at,
					line.end - line.start);
	arena_release(&arena);
	return image;
}

static struct binary *next_waiting(struct binaries *b)
{
	struct binary *one;

	pthread_mutex_lock(&b->lock);
	while (!b->first && !b->stop)
		pthread_cond_wait(&b->changed, &b->lock);
	one = b->first;
	if (one)
		b->first = one->next;
	if (!b->first)
		b->last = &b->first;
	pthread_mutex_unlock(&b->lock);
	return one;
}

/* For the next recording, when nobody waits for this one any more. */
static void save_table(const struct binaries *b, struct binary *one)
{
	if (*b->folder && one->unsaved.len)
		(void)unwind_store_save(b->folder, one->unsaved, NULL);
	one->unsaved = (struct span){ 0 };
}

static void *binaries_run(void *context)
{
	struct binaries *b = context;
	struct binary *one;

	/* All samples wait for it; see drain.c. */
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), BINARY_PRIORITY);
	while ((one = next_waiting(b))) {
		if (one->is_vdso)
			read_image(b, one, binary_vdso_image(), 0);
		else
			read_binary(b, one);
		pthread_mutex_lock(&b->lock);
		one->ready = true;
		pthread_cond_broadcast(&b->changed);
		pthread_mutex_unlock(&b->lock);
		save_table(b, one);
	}
	return NULL;
}

int binaries_init(struct binaries *b)
{
	int r = 0;

	*b = (struct binaries){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	b->last = &b->first;
	if (!store_directory(b->folder, sizeof(b->folder)))
		b->folder[0] = '\0';
	while (b->readers < BINARY_READERS && r == 0) {
		r = pthread_create(&b->reader[b->readers], NULL, binaries_run,
				   b);
		b->readers += !r;
	}
	return b->readers ? 0 : -r;
}

void binaries_release(struct binaries *b)
{
	pthread_mutex_lock(&b->lock);
	b->stop = true;
	/* What still waits is not needed any more. */
	b->first = NULL;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	while (b->readers)
		pthread_join(b->reader[--b->readers], NULL);
	for (uint32_t i = 0; i < b->all.count; i++) {
		if (b->all.at[i]->fd >= 0)
			close(b->all.at[i]->fd);
		arena_release(&b->all.at[i]->arena);
	}
	arena_release(&b->arena);
}

static void queue_binary(struct binaries *b, struct binary *one)
{
	pthread_mutex_lock(&b->lock);
	*b->last = one;
	b->last = &one->next;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

static struct binary *new_binary(struct binaries *b,
				 const struct binary_place *p)
{
	struct binary *one = ARENA_NEW(&b->arena, struct binary);
	struct binary **row = VEC_PUSH(&b->all, &b->arena);

	if (!one || !row)
		return NULL;
	*row = one;
	*one = (struct binary){
		.major = p->major,
		.minor = p->minor,
		.inode = p->inode,
		.path = arena_text(&b->arena, (const char *)p->path.at,
				   p->path.len),
		.fd = -1,
	};
	return one->path ? one : NULL;
}

static struct binary *get_vdso(struct binaries *b, const struct binary_place *p)
{
	if (!b->vdso) {
		b->vdso = new_binary(b, p);
		if (!b->vdso)
			return NULL;
		b->vdso->is_vdso = true;
		queue_binary(b, b->vdso);
	}
	return b->vdso;
}

/* Memory with code in it that no file stands behind. */
static bool is_file(const struct binary_place *p)
{
	return p->path.len > 1 && p->path.at[0] == '/' && p->path.at[1] != '/';
}

static bool is_same(const struct binary *one, const struct binary_place *p)
{
	if (one->inode != p->inode || one->major != p->major ||
	    one->minor != p->minor)
		return false;
	return p->inode || span_equal(span_text(one->path), p->path);
}

struct binary *binary_get(struct binaries *b, const struct binary_place *p)
{
	uint32_t hash = hash_u64(hash_mix(p->inode, p->minor));
	uint32_t i = table_start(&b->index, hash);
	struct binary *one;
	uint32_t id;

	if (span_equal(p->path, span_text("[vdso]")))
		return get_vdso(b, p);
	if (!is_file(p))
		return NULL;
	for (; (id = table_id(&b->index, i, hash)) != TABLE_END;
	     i = table_next(&b->index, i))
		if (id && is_same(b->all.at[id - 1], p))
			return b->all.at[id - 1];
	one = new_binary(b, p);
	if (!one || !table_add(&b->index, &b->arena, hash, b->all.count))
		return NULL;
	if (b->open < OPEN_MAX) {
		one->fd = binary_open(p);
		b->open += one->fd >= 0;
	}
	queue_binary(b, one);
	return one;
}

void binary_wait(struct binaries *b, struct binary *one)
{
	pthread_mutex_lock(&b->lock);
	while (!one->ready && b->readers)
		pthread_cond_wait(&b->changed, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

struct binary_segment *binary_segment_at(struct binary *one, uint64_t offset)
{
	for (unsigned i = 0; i < one->segments; i++)
		if (offset - one->segment[i].offset < one->segment[i].size)
			return &one->segment[i];
	return NULL;
}
