/* SPDX-License-Identifier: MIT */
/* aarch64: see envoy.h.  Nobody is sent there yet. */
#include "inside/envoy.h"

const char *envoy_cannot(void)
{
	return "this is not yet done on aarch64";
}

const void *envoy_code(size_t *ret_size)
{
	*ret_size = 0;
	return NULL;
}

size_t envoy_entry_offset(void)
{
	return 0;
}

size_t envoy_thread_offset(void)
{
	return 0;
}

enum envoy_wait envoy_wait_of(long number)
{
	(void)number;
	return ENVOY_BUSY;
}

bool envoy_repeat(struct tracee_regs *r)
{
	(void)r;
	return false;
}

void envoy_restart(struct tracee_regs *r)
{
	(void)r;
}

const void *envoy_errand_code(size_t *ret_size)
{
	*ret_size = 0;
	return NULL;
}

void envoy_errand(struct tracee_regs *r, uint64_t code,
		  const struct envoy_call *calls, unsigned count,
		  struct envoy_errand *ret)
{
	(void)r;
	(void)code;
	(void)calls;
	(void)count;
	(void)ret;
}

uint64_t envoy_pc(const struct tracee_regs *r)
{
	(void)r;
	return 0;
}

uint64_t envoy_sp(const struct tracee_regs *r)
{
	(void)r;
	return 0;
}

void envoy_set_pc(struct tracee_regs *r, uint64_t pc)
{
	(void)r;
	(void)pc;
}

void envoy_unwind_regs(const struct tracee_regs *r, uint64_t all[34],
		       struct unwind_regs *ret)
{
	(void)r;
	(void)all;
	(void)ret;
}

uint64_t envoy_callee(uint64_t address, envoy_reader *read, void *context)
{
	(void)address;
	(void)read;
	(void)context;
	return 0;
}
