/* SPDX-License-Identifier: MIT */
/*
 * The debuginfod client library, loaded when it is needed: it brings an HTTP
 * client and TLS with it, which wick does without otherwise.
 */
#include "symbolize/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/note.h"

/* The functions of libdebuginfod that are used. */
struct client_library {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int id_len,
		    char **path);
	void (*end)(void *client);
};

static bool load(struct client_library *lib)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return false;
	/* POSIX has dlsym() return functions as objects. */
	*(void **)&lib->begin = dlsym(handle, "debuginfod_begin");
	*(void **)&lib->find = dlsym(handle, "debuginfod_find_debuginfo");
	*(void **)&lib->end = dlsym(handle, "debuginfod_end");
	return lib->begin && lib->find && lib->end;
}

static int fetch(const struct client_library *lib, const struct build_id *id,
		 char *path, size_t size)
{
	void *client = lib->begin();
	char *found = NULL;
	int fd, n;

	if (!client)
		return -ENOMEM;
	fd = lib->find(client, id->byte, id->len, &found);
	lib->end(client);
	if (fd < 0)
		return fd;
	close(fd);
	n = snprintf(path, size, "%s", found);
	free(found);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int debuginfod_fetch(void *context, const struct build_id *id, char *path,
		     size_t size)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client_library lib;

	(void)context;
	if (!urls || !urls[strspn(urls, " ")])
		return -ENOTSUP;
	if (!load(&lib))
		return -ENOPKG;
	return fetch(&lib, id, path, size);
}
