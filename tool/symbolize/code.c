/* SPDX-License-Identifier: MIT */
/* See code.h. */
#include "symbolize/code.h"

#include "symbolize/kernel.h"
#include "symbolize/open.h"
#include "symbolize/process.h"

static void prepare_file(void *self, const uint64_t *address, size_t count)
{
	symbol_file_prepare(self, address, count);
}

static uint32_t find_in_file(void *self, uint64_t address,
			     struct symbol_frame *frames)
{
	struct symbol_file *f = self;

	return module_find(&f->module, address, frames);
}

struct code code_of_file(struct symbol_file *f)
{
	return (struct code){
		.self = f,
		.prepare = prepare_file,
		.find = find_in_file,
	};
}

static void prepare_process(void *self, const uint64_t *address, size_t count)
{
	process_prepare(self, address, count);
}

static uint32_t find_in_process(void *self, uint64_t address,
				struct symbol_frame *frames)
{
	return process_find(self, address, frames);
}

static struct span process_module(void *self, uint64_t address)
{
	const struct process_map *m = process_map_at(self, address);

	return m ? span_text(m->path) : (struct span){ 0 };
}

struct code code_of_process(struct process_code *p)
{
	return (struct code){
		.self = p,
		.prepare = prepare_process,
		.find = find_in_process,
		.module = process_module,
	};
}

static uint32_t find_in_kernel(void *self, uint64_t address,
			       struct symbol_frame *frames)
{
	return kernel_find(self, address, frames);
}

static struct span kernel_module(void *self, uint64_t address)
{
	return kernel_module_at(self, address);
}

struct code code_of_kernel(struct kernel_symbols *k)
{
	return (struct code){
		.self = k,
		.find = find_in_kernel,
		.module = kernel_module,
	};
}
