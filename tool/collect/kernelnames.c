/* SPDX-License-Identifier: MIT */
/* See kernelnames.h. */
#include "collect/kernelnames.h"

#include <stddef.h>

static void *read_list(void *context)
{
	const struct symbol_request request = { .symbols_only = true };
	struct kernel_names *k = context;

	k->result = kernel_open(&k->symbols, &request, NULL);
	return NULL;
}

void kernel_names_begin(struct kernel_names *k)
{
	if (k->begun)
		return;
	k->begun = true;
	k->running = pthread_create(&k->thread, NULL, read_list, k) == 0;
	if (!k->running)
		read_list(k);
}

static void wait_for_list(struct kernel_names *k)
{
	if (k->running)
		pthread_join(k->thread, NULL);
	k->running = false;
}

struct kernel_symbols *kernel_names_get(struct kernel_names *k)
{
	kernel_names_begin(k);
	wait_for_list(k);
	return k->result < 0 ? NULL : &k->symbols;
}

void kernel_names_release(struct kernel_names *k)
{
	wait_for_list(k);
	if (k->begun && k->result == 0)
		kernel_close(&k->symbols);
	*k = (struct kernel_names){ 0 };
}
