/* SPDX-License-Identifier: MIT */
/* See object.h. */
#include "symbolize/object.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "profile/profile.h"

bool object_can_have_file(const char *name)
{
	static const char *const names[] = { "[", "linux-vdso" };
	static const char *const paths[] = { "/dev/dri/", "//anon", "/memfd:" };
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(base, names[i], strlen(names[i])))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (!strncmp(name, paths[i], strlen(paths[i])))
			return false;
	return true;
}

/* Mappings that stand for the whole address space translate nothing. */
static bool is_everything(const struct object *o)
{
	return !o->start && !o->offset && (!o->limit || o->limit == UINT64_MAX);
}

static bool is_kernel(const struct object *o, const char *kernel_symbol)
{
	return *kernel_symbol || o->start >= (uint64_t)1 << 63;
}

/* A kernel's mapping starts at a symbol, wherever that was moved to. */
static uint64_t kernel_base(const struct object *o, const char *kernel_symbol)
{
	const struct elf *elf = &o->file.module.elf;
	uint64_t text = *kernel_symbol ? elf_symbol_value(elf, kernel_symbol)
				       : 0;

	if (!text)
		text = elf_symbol_value(elf, "_stext");
	if (!text || text % 4096 != o->start % 4096)
		text = elf_lowest_address(elf);
	return o->start - text;
}

static int find_base(struct object *o, const char *kernel_symbol,
		     struct error *err)
{
	switch (o->file.module.elf.type) {
	case ET_EXEC:
	case ET_DYN:
		if (is_everything(o))
			return 0;
		if (is_kernel(o, kernel_symbol))
			o->base = kernel_base(o, kernel_symbol);
		else
			o->by_offset = true;
		return 0;
	case ET_REL:
		o->base = o->start;
		return 0;
	default:
		return error_set(err, -ENOTSUP,
				 "it is neither a program nor a library");
	}
}

int object_open(struct object *o, const struct object_request *q,
		struct error *err)
{
	struct symbol_request request = { .symbols_only = q->symbols_only };
	int r;

	*o = (struct object){
		.start = q->mapping->start,
		.limit = q->mapping->limit,
		.offset = q->mapping->offset,
	};
	r = symbol_file_open(&o->file, q->path, &request, err);
	if (r < 0)
		return r;
	r = find_base(o, q->kernel_symbol, err);
	if (r < 0)
		symbol_file_close(&o->file);
	return r;
}

void object_close(struct object *o)
{
	symbol_file_close(&o->file);
}

bool object_is_build(const struct object *o, const char *build_id)
{
	const struct build_id *id = &o->file.module.id;
	char text[BUILD_ID_TEXT];

	return !*build_id || !id->len ||
	       !strcmp(build_id, build_id_text(id, text));
}

bool object_address(const struct object *o, uint64_t address, uint64_t *ret)
{
	if (o->by_offset)
		return elf_offset_to_address(&o->file.module.elf,
					     address - o->start + o->offset,
					     ret);
	*ret = address - o->base;
	return true;
}

uint64_t object_runtime_address(const struct object *o, uint64_t address)
{
	const struct elf *elf = &o->file.module.elf;
	struct elf_segment s;

	if (!o->by_offset)
		return address + o->base;
	for (uint32_t i = 0; elf_segment_at(elf, i, &s); i++)
		if (s.type == PT_LOAD && address >= s.address &&
		    address - s.address < s.memory_size)
			return address - s.address + s.offset - o->offset +
			       o->start;
	return address;
}
