/* SPDX-License-Identifier: MIT */
/* See cgroup.h. */
#include "collect/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "symbolize/procfs.h"

#define ROOT "/sys/fs/cgroup"

enum { PATH_SIZE = 4096, DEPTH = 12, ID_LEAST = 6 };

typedef bool folder_visit(void *context, const char *path, const char *name);

/*
 * Calls visit for each folder under path, which is changed and restored, until
 * it returns true.
 */
static bool visit_folders(char path[PATH_SIZE], unsigned depth,
			  folder_visit *visit, void *context)
{
	size_t len = strlen(path);
	struct dirent *entry;
	DIR *folder = depth ? opendir(path) : NULL;
	bool found = false;

	while (folder && !found && (entry = readdir(folder))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (fmt_text(path + len, PATH_SIZE - len, "/%s",
			     entry->d_name) >= PATH_SIZE - len)
			continue;
		found = visit(context, path, entry->d_name) ||
			visit_folders(path, depth - 1, visit, context);
		if (!found)
			path[len] = '\0';
	}
	if (folder)
		closedir(folder);
	return found;
}

static int add_pid(struct pid_list *list, pid_t pid)
{
	pid_t *row;

	for (uint32_t i = 0; i < list->pids.count; i++)
		if (list->pids.at[i] == pid)
			return 0;
	row = VEC_PUSH(&list->pids, &list->arena);
	if (!row)
		return -ENOMEM;
	*row = pid;
	return 0;
}

/* Adds the numbers in the group's list; 0 or a negative errno. */
static int add_procs(struct pid_list *list, const char *folder)
{
	char path[PATH_SIZE];
	struct span text;
	const char *at;
	char *end;
	int r;

	fmt_text(path, sizeof(path), "%s/cgroup.procs", folder);
	r = procfs_read(path, &list->arena, &text);
	if (r < 0 || !text.len)
		return r;
	at = arena_text(&list->arena, (const char *)text.at, text.len);
	while (at && r == 0) {
		pid_t pid = (pid_t)strtol(at, &end, 10);

		if (end == at)
			break;
		if (pid > 0 && pid != getpid())
			r = add_pid(list, pid);
		at = end;
	}
	return r;
}

static bool visit_group(void *context, const char *path, const char *name)
{
	(void)name;
	/* A group that has just gone has nobody in it. */
	(void)add_procs(context, path);
	return false;
}

static int add_group(struct pid_list *list, const char *folder)
{
	char path[PATH_SIZE];
	int r = add_procs(list, folder);

	if (r < 0)
		return r;
	fmt_text(path, sizeof(path), "%s", folder);
	(void)visit_folders(path, DEPTH, visit_group, list);
	return 0;
}

/* The folder of a group, by any of its names; false: there is none. */
static bool find_folder(const char *name, char folder[PATH_SIZE])
{
	static const char *const roots[] = {
		"",
		ROOT,
		ROOT "/unified",
		ROOT "/perf_event",
		ROOT "/systemd",
		ROOT "/cpu",
		ROOT "/pids",
		ROOT "/memory",
	};
	const char *slash = name[0] == '/' ? "" : "/";

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		char file[PATH_SIZE + 16];

		fmt_text(folder, PATH_SIZE, "%s%s%s", roots[i], slash, name);
		fmt_text(file, sizeof(file), "%s/cgroup.procs", folder);
		if (access(file, R_OK) == 0)
			return true;
	}
	return false;
}

static int check_found(const struct pid_list *list, int r, const char *what,
		       struct error *err)
{
	if (r < 0)
		return error_set_errno(err, r, "cannot read %s", what);
	if (!list->pids.count)
		return error_set(err, -ESRCH, "nothing runs in %s", what);
	return 0;
}

int cgroup_find(struct pid_list *list, const char *path, struct error *err)
{
	char folder[PATH_SIZE];

	if (!find_folder(path, folder))
		return error_set(err, -ENOENT,
				 "there is no control group '%s'; see "
				 "/proc/PID/cgroup for names",
				 path);
	return check_found(list, add_group(list, folder), "the control group",
			   err);
}

/* "docker-ID.scope", "libpod-ID", "crun-NAME", or "ID": is it this one? */
static bool visit_name(void *context, const char *path, const char *name)
{
	const char *wanted = context;
	const char *dash = strrchr(name, '-');
	const char *id = dash ? dash + 1 : name;
	size_t len = strlen(wanted);

	(void)path;
	if (!strcmp(name, wanted) || !strcmp(id, wanted))
		return true;
	/* Ids may be cut; names may not. */
	return len >= ID_LEAST && !strncmp(id, wanted, len) &&
	       strspn(id, "0123456789abcdef") >= 12;
}

/* The number behind a key of JSON; 0: none.  The files are root's own. */
static pid_t read_pid(const char *path, const char *key)
{
	struct arena arena = { 0 };
	struct span text;
	const char *at = NULL;
	pid_t pid = 0;

	if (procfs_read(path, &arena, &text) == 0 && text.len)
		at = arena_text(&arena, (const char *)text.at, text.len);
	if (at)
		at = strstr(at, key);
	if (at) {
		at += strlen(key);
		pid = (pid_t)strtol(at + strspn(at, " :\t\n"), NULL, 10);
	}
	arena_release(&arena);
	return pid;
}

static pid_t first_process(const char *name)
{
	static const struct {
		const char *format;
		const char *key;
	} states[] = {
		{ "/run/crun/%s/status", "\"pid\"" },
		{ "/run/runc/%s/state.json", "\"init_process_pid\"" },
		{ "/run/docker/runtime-runc/moby/%s/state.json",
		  "\"init_process_pid\"" },
	};
	char path[PATH_SIZE];

	/* It becomes part of a path. */
	if (strchr(name, '/'))
		return 0;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		const char *mark = strstr(states[i].format, "%s");
		pid_t pid;

		fmt_text(path, sizeof(path), "%.*s%s%s",
			 (int)(mark - states[i].format), states[i].format, name,
			 mark + 2);
		pid = read_pid(path, states[i].key);
		if (pid > 0)
			return pid;
	}
	return 0;
}

/* Docker's ids by name. */
static bool docker_id(const char *name, char id[PATH_SIZE])
{
	static const char root[] = "/var/lib/docker/containers";
	DIR *folder = opendir(root);
	struct dirent *entry;
	char wanted[PATH_SIZE];
	bool found = false;

	fmt_text(wanted, sizeof(wanted), "\"Name\":\"/%s\"", name);
	while (folder && !found && (entry = readdir(folder))) {
		struct arena arena = { 0 };
		char path[PATH_SIZE];
		struct span text;

		fmt_text(path, sizeof(path), "%s/%s/config.v2.json", root,
			 entry->d_name);
		if (procfs_read(path, &arena, &text) == 0 && text.len)
			found = memmem(text.at, text.len, wanted,
				       strlen(wanted)) != NULL;
		if (found)
			fmt_text(id, PATH_SIZE, "%s", entry->d_name);
		arena_release(&arena);
	}
	if (folder)
		closedir(folder);
	return found;
}

int container_find(struct pid_list *list, const char *name, struct error *err)
{
	char path[PATH_SIZE] = ROOT;
	char id[PATH_SIZE];
	pid_t first = first_process(name);
	int r = 0;

	if (docker_id(name, id))
		name = id;
	if (visit_folders(path, DEPTH, visit_name, (void *)name))
		r = add_group(list, path);
	if (r == 0 && first)
		r = add_pid(list, first);
	if (r == 0 && !list->pids.count)
		return error_set(err, -ENOENT,
				 "there is no container '%s', or it may not be "
				 "seen",
				 name);
	return check_found(list, r, "the container", err);
}
