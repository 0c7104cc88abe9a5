/* SPDX-License-Identifier: MIT */
/* See target.h. */
#include "inside/target.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "collect/space.h"
#include "inside/refusal.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static enum target_kind kind_of(const char *path)
{
	static const char *const libc[] = { "libc.so.",	      "libc-2.",
					    "libpthread.so.", "libpthread-2.",
					    "libdl.so.",      "libdl-2." };
	const char *name = base_name(path);

	for (unsigned i = 0; i < ARRAY_SIZE(libc); i++)
		if (starts(name, libc[i]))
			return TARGET_LIBC;
	return starts(name, "ld-linux") || starts(name, "ld-2.") ? TARGET_LOADER
								 : TARGET_HOST;
}

/* Where the file has a function that others may call; 0: it has none. */
static uint64_t exported(const struct elf *elf, const char *name)
{
	struct elf_symbols symbols;
	struct elf_symbol s;

	if (!elf_symbols_open(elf, SHT_DYNSYM, &symbols))
		return 0;
	for (size_t i = 0; elf_symbol_at(&symbols, i, &s); i++)
		if (s.section != SHN_UNDEF && s.type == STT_FUNC &&
		    !strcmp(s.name, name))
			return s.value;
	return 0;
}

static void map_file(struct target_module *m)
{
	struct stat st;
	void *p;

	if (m->binary->fd < 0 || fstat(m->binary->fd, &st) < 0 || !st.st_size)
		return;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
		 m->binary->fd, 0);
	if (p == MAP_FAILED)
		return;
	m->file = span_of(p, (size_t)st.st_size);
	/* One that cannot be read has no functions. */
	(void)elf_open(&m->elf, m->file, NULL);
}

static void classify(struct target *t, struct target_module *m)
{
	struct elf_segment interpreter;

	m->kind = kind_of(m->binary->path);
	map_file(m);
	/* Libraries that can be run have one as well: libc is such a one. */
	m->is_program = m->kind == TARGET_HOST &&
			elf_find_segment(&m->elf, PT_INTERP, &interpreter);
	if (m->kind == TARGET_HOST && exported(&m->elf, "malloc")) {
		m->has_malloc = m->is_program;
		m->kind = m->is_program ? TARGET_HOST : TARGET_ALLOCATOR;
	}
	if (m->kind == TARGET_LIBC || m->has_malloc)
		/* Without memory there are no names, and no safe moment. */
		(void)symtab_build(&m->symbols, &m->elf, &t->arena);
}

static bool is_known(const struct target *t, const struct binary *b)
{
	for (uint32_t i = 0; i < t->modules.count; i++)
		if (t->modules.at[i].binary == b)
			return true;
	return false;
}

int target_refresh(struct target *t)
{
	int r = space_read(&t->space, t->pid, &t->binaries);
	uint32_t generation;

	for (uint32_t i = 0; i < t->space->count && r == 0; i++) {
		const struct binary *b = t->space->map[i].binary;
		struct target_module *m;

		if (!b || is_known(t, b))
			continue;
		m = VEC_PUSH(&t->modules, &t->arena);
		if (!m)
			return -ENOMEM;
		*m = (struct target_module){ .binary = b };
		classify(t, m);
	}
	/* Making tables takes a while: not with a thread stopped. */
	(void)space_view(t->space, &t->binaries, &generation);
	return r;
}

static const struct target_module *module_of(const struct target *t,
					     const struct binary *b)
{
	for (uint32_t i = 0; i < t->modules.count; i++)
		if (t->modules.at[i].binary == b)
			return &t->modules.at[i];
	return NULL;
}

const struct target_module *target_find(const struct target *t, uint64_t pc,
					uint64_t *ret_address)
{
	const struct space_map *map = space_find(t->space, pc);
	const struct target_module *m = map && map->binary
						? module_of(t, map->binary)
						: NULL;
	uint64_t at;

	if (!m || !elf_code_mapping_address(&m->elf, map->offset, &at))
		return NULL;
	*ret_address = pc - map->lo + at;
	return m;
}

bool target_read(const struct target *t, uint64_t at, void *to, size_t len)
{
	return pread(t->memory, to, len, (off_t)at) == (ssize_t)len;
}

bool target_write(const struct target *t, uint64_t at, const void *from,
		  size_t len)
{
	return pwrite(t->memory, from, len, (off_t)at) == (ssize_t)len;
}

/*
 * The file behind a mapping of code, and its own address of where the mapping
 * begins; NULL: none that is known.
 */
static const struct target_module *module_in(const struct target *t,
					     const struct space_map *map,
					     uint64_t *ret_at)
{
	const struct target_module *m = map->binary ? module_of(t, map->binary)
						    : NULL;

	return m && elf_code_mapping_address(&m->elf, map->offset, ret_at)
		       ? m
		       : NULL;
}

/* A function of libc's, where the process has it; 0: it has none. */
static uint64_t find_call(const struct target *t, const char *name)
{
	for (uint32_t i = 0; i < t->space->count; i++) {
		const struct space_map *map = &t->space->map[i];
		uint64_t value, at;
		const struct target_module *m = module_in(t, map, &at);

		if (!m || m->kind != TARGET_LIBC)
			continue;
		value = exported(&m->elf, name);
		if (value)
			return map->lo - at + value;
	}
	return 0;
}

/* Before 2.34, programs that do not load anything have not got dlopen(). */
static void find_loading(struct target *t)
{
	const int inner = (int)0x80000000;

	t->dlopen_mode = RTLD_NOW;
	t->calls.dlopen = find_call(t, "dlopen");
	t->calls.dlsym = find_call(t, "dlsym");
	t->calls.dlerror = find_call(t, "dlerror");
	if (t->calls.dlopen && t->calls.dlsym)
		return;
	t->dlopen_mode |= inner;
	t->calls.dlopen = find_call(t, "__libc_dlopen_mode");
	t->calls.dlsym = find_call(t, "__libc_dlsym");
}

/* The code that the program began with is needed no more. */
static void find_entry(struct target *t)
{
	for (uint32_t i = 0; i < t->space->count; i++) {
		const struct space_map *map = &t->space->map[i];
		uint64_t at;
		const struct target_module *m = module_in(t, map, &at);

		if (!m || !m->is_program)
			continue;
		if (m->elf.entry - at < map->hi - map->lo)
			t->entry = m->elf.entry - at + map->lo;
	}
}

static int find_calls(struct target *t, struct error *err)
{
	struct envoy_calls *c = &t->calls;

	find_loading(t);
	find_entry(t);
	c->pthread_create = find_call(t, "pthread_create");
	c->pthread_detach = find_call(t, "pthread_detach");
	c->errno_location = find_call(t, "__errno_location");
	c->prctl = find_call(t, "prctl");
	if (!c->dlopen || !c->dlsym || !c->pthread_create ||
	    !c->pthread_detach || !c->errno_location || !c->prctl || !t->entry)
		return error_set(err, -ENOTSUP,
				 "process %d cannot be entered: it is static, "
				 "or its libc cannot be read",
				 (int)t->pid);
	return 0;
}

int target_open(struct target *t, pid_t pid, struct error *err)
{
	int r;

	*t = (struct target){ .pid = pid, .memory = -1 };
	r = refusal(pid, &t->memory, err);
	if (r < 0)
		return r;
	t->space = space_new();
	if (!t->space || binaries_init(&t->binaries) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	r = target_refresh(t);
	if (r < 0)
		return error_set_errno(err, r, "cannot look at process %d",
				       (int)pid);
	return find_calls(t, err);
}

void target_close(struct target *t)
{
	for (uint32_t i = 0; i < t->modules.count; i++)
		if (t->modules.at[i].file.len)
			munmap((void *)t->modules.at[i].file.at,
			       t->modules.at[i].file.len);
	if (t->space) {
		space_drop(t->space);
		binaries_release(&t->binaries);
	}
	arena_release(&t->arena);
	if (t->memory >= 0)
		close(t->memory);
}
