/* SPDX-License-Identifier: MIT */
/*
 * What only the shared library does, since only there it can: see threads as
 * they are made.  The new thread itself is left alone; the sampler is told to
 * look, and finds it in the kernel's list.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "agent/sampler.h"
#include "agent/state.h"

typedef int create_function(pthread_t *thread, const pthread_attr_t *attr,
			    void *(*run)(void *), void *context);

__attribute__((visibility("default"))) int pthread_create(
	pthread_t *restrict thread, const pthread_attr_t *restrict attr,
	void *(*run)(void *), void *restrict context)
{
	static _Atomic(create_function *) real;
	create_function *call = atomic_load_explicit(&real,
						     memory_order_relaxed);
	int r;

	if (!call) {
		call = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
		atomic_store_explicit(&real, call, memory_order_relaxed);
	}
	r = call(thread, attr, run, context);
	atomic_store_explicit(&agent.told, true, memory_order_relaxed);
	if (r == 0)
		sampler_seek_threads();
	return r;
}
