/* SPDX-License-Identifier: MIT */
/* See refusal.h. */
#include "inside/refusal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "collect/procfile.h"
#include "collect/regs.h"
#include "elf/image.h"
#include "inside/envoy.h"

enum { PATH_SIZE = 64 };

/* What stands behind a name in /proc/PID/status; "": nothing. */
static const char *field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : "";
}

static int refuse_state(pid_t pid, const char *status, struct error *err)
{
	const char state = *field(status, "\nState:\t");
	const long tracer = strtol(field(status, "\nTracerPid:\t"), NULL, 10);

	if (tracer)
		return error_set(err, -EBUSY,
				 "process %d is being traced by process %ld",
				 (int)pid, tracer);
	if (state == 'T' || state == 't')
		return error_set(err, -EBUSY,
				 "process %d is stopped; continue it first",
				 (int)pid);
	if (state == 'Z' || state == 'X')
		return error_set(err, -ESRCH, "process %d has ended", (int)pid);
	return 0;
}

static int read_status(pid_t pid, struct error *err)
{
	char path[PATH_SIZE];
	char status[4096];
	ssize_t n = -1;
	int fd;

	fmt_text(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, status, sizeof(status) - 1);
		close(fd);
	}
	if (n <= 0)
		return error_set(err, -ESRCH, "there is no process %d",
				 (int)pid);
	status[n] = '\0';
	return refuse_state(pid, status, err);
}

/* Why the kernel does not let us have the memory of a process. */
static int refuse_permission(pid_t pid, int code, struct error *err)
{
	const long scope = proc_number("/proc/sys/kernel/yama/ptrace_scope", 0);
	char path[PATH_SIZE];
	struct stat st;

	fmt_text(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) < 0)
		return error_set(err, -ESRCH, "process %d has ended", (int)pid);
	if (st.st_uid != geteuid())
		return error_set(
			err, code,
			"process %d may not be entered: it is another "
			"user's, or guarded; CAP_SYS_PTRACE permits it",
			(int)pid);
	if (scope)
		return error_set(err, code,
				 "process %d may not be entered: "
				 "kernel.yama.ptrace_scope is %ld; 0 or "
				 "CAP_SYS_PTRACE permits it",
				 (int)pid, scope);
	return error_set_errno(err, code, "process %d may not be entered",
			       (int)pid);
}

/* Of what kind its program is; NULL: one that can be entered, perhaps. */
static const char *unfit(struct span file)
{
	struct elf_section section;
	struct elf_segment interpreter;
	struct span name;
	struct elf elf;

	if (file.len > EI_CLASS && file.at[EI_CLASS] == ELFCLASS32)
		return "it is a program of 32 bits";
	if (elf_open(&elf, file, NULL) < 0 || elf.machine != regs_machine)
		return "it is a program of another machine";
	if (elf_find_section(&elf, ".go.buildinfo", &section) ||
	    elf_find_section(&elf, ".gopclntab", &section))
		return "it is a program of Go";
	if (!elf_find_segment(&elf, PT_INTERP, &interpreter))
		return "it is static: it loads no libraries";
	name = elf_segment_bytes(&elf, &interpreter);
	if (name.len && memmem(name.at, name.len, "musl", 4))
		return "it uses musl, and the agent glibc";
	return NULL;
}

static int refuse_program(pid_t pid, struct error *err)
{
	const char *why = "it has no program";
	char path[PATH_SIZE];
	struct stat st;
	void *p = MAP_FAILED;
	int fd;

	fmt_text(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			 0);
	if (p != MAP_FAILED) {
		why = unfit(span_of(p, (size_t)st.st_size));
		munmap(p, (size_t)st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return why ? error_set(err, -ENOTSUP,
			       "process %d cannot be entered: %s", (int)pid,
			       why)
		   : 0;
}

int refusal(pid_t pid, int *ret_memory, struct error *err)
{
	const char *cannot = envoy_cannot();
	char path[PATH_SIZE];
	int memory, r;

	if (cannot)
		return error_set(err, -ENOTSUP, "no process can be entered: %s",
				 cannot);
	r = read_status(pid, err);
	if (r < 0)
		return r;
	fmt_text(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory < 0)
		return refuse_permission(pid, -errno, err);
	r = refuse_program(pid, err);
	if (r < 0)
		close(memory);
	else
		*ret_memory = memory;
	return r;
}
