/* SPDX-License-Identifier: MIT */
/* Code and stacks that are hard to unwind, and code that comes and goes. */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "nasty.h"

static char **names; /* of libraries, ending with NULL */

static void run_library(const char *name)
{
	void *library = dlopen(name, RTLD_NOW);
	double (*work)(unsigned);

	if (!library)
		return;
	*(void **)&work = dlsym(library, "library_work");
	if (work)
		work(200);
	dlclose(library);
}

static void *load_and_unload(void *context)
{
	unsigned turn = (unsigned)(size_t)context;

	for (unsigned i = turn; more(); i++) {
		char *const *name = names;

		for (unsigned k = i % 20; k && name[1]; k--)
			name++;
		run_library(*name);
	}
	return NULL;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(unsigned *)context += info->dlpi_phnum;
	burn(2);
	return 0;
}

static void *walk_modules(void *context)
{
	unsigned headers = 0;

	(void)context;
	while (more())
		dl_iterate_phdr(visit, &headers);
	return NULL;
}

static void *trace(void *context)
{
	void *stack[64];

	(void)context;
	while (more())
		backtrace(stack, 64);
	return NULL;
}

/* R1: the loader's lock is held all the time. */
static int loader(char **arguments)
{
	pthread_t thread[3];

	names = arguments;
	pthread_create(&thread[0], NULL, walk_modules, NULL);
	pthread_create(&thread[1], NULL, trace, NULL);
	pthread_create(&thread[2], NULL, load_and_unload, NULL);
	load_and_unload((void *)1);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* R13: libraries come and go as fast as they can. */
static int churn(char **arguments)
{
	names = arguments;
	with_threads(3, load_and_unload, NULL);
	return 0;
}

/* R13: files are cut short as soon as nobody runs them. */
static int truncating(char **arguments)
{
	static char bytes[1 << 20];
	int fd = open(arguments[0], O_RDONLY);
	ssize_t size = read(fd, bytes, sizeof(bytes));

	close(fd);
	if (size <= 0)
		return 1;
	while (more()) {
		unlink(arguments[1]);
		fd = open(arguments[1], O_WRONLY | O_CREAT | O_EXCL, 0700);
		if (write(fd, bytes, (size_t)size) != size)
			return 1;
		run_library(arguments[1]);
		if (ftruncate(fd, 0) < 0)
			return 1;
		close(fd);
	}
	return 0;
}

/* Frames that lie about themselves, or say nothing. */
__asm__(".text\n"
	".type lying_frame,@function\n"
	"lying_frame:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 0x7fff0000\n"
	"	mov $20000,%ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	".cfi_endproc\n"
	".size lying_frame,.-lying_frame\n"
	".type backward_frame,@function\n"
	"backward_frame:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset -4096\n"
	"	mov $20000,%ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	".cfi_endproc\n"
	".size backward_frame,.-backward_frame\n"
	".type wild_register,@function\n"
	"wild_register:\n" /* no unwind information at all */
	"	push %rbp\n"
	"	mov %rdi,%rbp\n"
	"	mov $20000,%ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	".size wild_register,.-wild_register\n"
	".type moved_stack,@function\n"
	"moved_stack:\n"
	"	push %rbx\n"
	"	mov %rsp,%rbx\n"
	"	mov %rdi,%rsp\n" /* the stack pointer points anywhere */
	"	mov $20000,%ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	mov %rbx,%rsp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size moved_stack,.-moved_stack\n"
	".type false_returns,@function\n"
	"false_returns:\n" /* no unwind information, and two words that lie */
	"	push %rdi\n"
	"	push %rdi\n"
	"	mov $20000,%ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	pop %rdi\n"
	"	pop %rdi\n"
	"	ret\n"
	"false_returns_end:\n"
	".size false_returns,.-false_returns\n");

void lying_frame(void);
void backward_frame(void);
void wild_register(const void *fp);
void moved_stack(const void *sp);
void false_returns(const void *to);
extern const char false_returns_end[];

/* R9: unwind information that is wrong. */
static int bad_tables(char **arguments)
{
	(void)arguments;
	while (more()) {
		lying_frame();
		backward_frame();
	}
	return 0;
}

/* R10: frame pointers that lead to guard pages and nowhere. */
static int wild_frames(char **arguments)
{
	char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const void *wild[] = {
		(void *)8,	  (void *)0x7ffffffff000, (void *)-16,
		page + 4096 - 8, /* half of it is behind a guard */
		page + 4096 - 16, page + 2 * 4096 - 8,
	};

	(void)arguments;
	mprotect(page + 4096, 4096, PROT_NONE);
	memset(page, 0x7f, 4096);
	for (unsigned i = 0; more(); i++)
		wild_register(wild[i % 6]);
	return 0;
}

static void *map_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* R13: code that was made at run time, and is gone when it has run. */
static void *run_and_unmap(void *context)
{
	const size_t size = (size_t)(false_returns_end -
				     (const char *)false_returns);

	(void)context;
	while (more()) {
		void *page = map_code();
		void (*run)(const void *);

		memcpy(page, (const void *)false_returns, size);
		memcpy(&run, &page, sizeof(run));
		run(page);
		munmap(page, 4096);
	}
	return NULL;
}

static int vanishing(char **arguments)
{
	(void)arguments;
	with_threads(3, run_and_unmap, NULL);
	return 0;
}

static void *come_and_go(void *page)
{
	while (more()) {
		mprotect(page, 4096, PROT_NONE);
		mprotect(page, 4096, PROT_READ | PROT_EXEC);
	}
	return NULL;
}

static void *return_there(void *page)
{
	while (more())
		false_returns((char *)page + 100);
	return NULL;
}

/* R13: what looks like a return address leads to memory of others. */
static int flickering(char **arguments)
{
	void *page = map_code();
	pthread_t thread;

	(void)arguments;
	pthread_create(&thread, NULL, come_and_go, page);
	with_threads(3, return_there, page);
	pthread_join(thread, NULL);
	return 0;
}

static ucontext_t home, fibre[2];

static void fibre_main(void)
{
	for (;;) {
		burn(20);
		swapcontext(&fibre[0], &fibre[1]);
	}
}

static void other_fibre(void)
{
	while (more()) {
		burn(20);
		swapcontext(&fibre[1], &fibre[0]);
	}
	setcontext(&home);
}

/* R11: small stacks that are not threads', and switches between them. */
static int coroutines(char **arguments)
{
	void (*const run[])(void) = { fibre_main, other_fibre };
	volatile bool back = false;

	(void)arguments;
	for (unsigned i = 0; i < 2; i++) {
		getcontext(&fibre[i]);
		/* A sample needs a page or so of whatever stack it meets. */
		fibre[i].uc_stack.ss_sp = malloc(32768);
		fibre[i].uc_stack.ss_size = 32768;
		fibre[i].uc_link = &home;
		makecontext(&fibre[i], run[i], 0);
	}
	getcontext(&home);
	if (!back) {
		back = true;
		setcontext(&fibre[1]);
	}
	/* And a stack pointer that points to the end of a mapping. */
	char *page = mmap(NULL, 2 * 65536, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(page + 65536, 65536);
	lasts(0.2);
	while (more())
		moved_stack(page + 65536);
	return 0;
}

extern void __register_frame(void *) __attribute__((weak));
extern void __deregister_frame(void *) __attribute__((weak));

/* R2: unwind information is registered while others unwind. */
static void *register_frames(void *context)
{
	(void)context;
	while (more() && __register_frame) {
		static __thread uint32_t words[16];

		memset(words, 0, sizeof(words));
		__register_frame(words);
		burn(1);
		__deregister_frame(words);
	}
	return NULL;
}

static int registered(char **arguments)
{
	pthread_t thread;

	(void)arguments;
	pthread_create(&thread, NULL, trace, NULL);
	with_threads(2, register_frames, NULL);
	pthread_join(thread, NULL);
	return 0;
}

static void *first_malloc(void *context)
{
	void *p = malloc(100);

	(void)context;
	burn(50);
	free(p);
	return NULL;
}

/* R14: threads whose first act is malloc, with libraries that have TLS. */
static int first_acts(char **arguments)
{
	names = arguments;
	while (more()) {
		void *library = dlopen(names[0], RTLD_NOW);

		with_threads(8, first_malloc, NULL);
		if (library)
			dlclose(library);
	}
	return 0;
}

static jmp_buf again;

__attribute__((noinline)) static void jump(unsigned depth)
{
	burn(2);
	if (!depth)
		longjmp(again, 1);
	jump(depth - 1);
	burn(1);
}

/* R26: stacks are left by jumps. */
static int jumps(char **arguments)
{
	(void)arguments;
	while (more())
		if (!setjmp(again))
			jump(30);
	return 0;
}

__attribute__((noinline)) static unsigned deep(unsigned depth)
{
	volatile char room[64];

	room[0] = (char)depth;
	if (!depth) {
		while (more())
			burn(50);
		return 0;
	}
	return deep(depth - 1) + (unsigned)room[0];
}

/* Stacks deeper than anybody keeps. */
static int depths(char **arguments)
{
	(void)arguments;
	deep(20000);
	return 0;
}

const struct nasty nasty_code[] = {
	{ "loader", loader },
	{ "churn", churn },
	{ "bad-tables", bad_tables },
	{ "wild-frames", wild_frames },
	{ "coroutines", coroutines },
	{ "registered", registered },
	{ "first-acts", first_acts },
	{ "jumps", jumps },
	{ "depths", depths },
	{ "vanishing", vanishing },
	{ "flickering", flickering },
	{ "truncating", truncating },
	{ 0 },
};
