/* SPDX-License-Identifier: MIT */
/*
 * x86-64: see envoy.h.  What is in the section wick_envoy is copied as it is,
 * so it refers to nothing outside of it: no strings, no tables, no functions
 * but by the addresses it is given.
 */
#include "inside/envoy.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "base/check.h"
#include "inside/tracee.h"
#include "unwind/walk.h"

/* Neither checks nor counters of the compiler's may get into it. */
#define ENVOY \
	__attribute__((section("wick_envoy"), used, noinline, \
		       no_stack_protector, no_sanitize("address"), \
		       no_sanitize("undefined"))) static

extern const char envoy_code_begin[] __asm__("__start_wick_envoy");
extern const char envoy_code_end[] __asm__("__stop_wick_envoy");
extern const char envoy_entry[] __asm__("envoy_entry");
extern const char envoy_thread[] __asm__("envoy_thread");

_Static_assert(ENVOY_DATA == 4096 && ENVOY_VECTORS == 8192 &&
		       ENVOY_SIZE == 90112 &&
		       offsetof(struct envoy, resume) == 8 &&
		       offsetof(struct envoy, visit) == 16,
	       "as the code below has it");

/*
 * The way of the borrowed thread.  Nothing is put on its own stack, which may
 * be tiny, and below which the compiler keeps things.  All vector registers are
 * kept: pthread_create() may use any.  The end is a jump, not a return, for
 * shadow stacks' sake.
 */
__asm__(".pushsection wick_envoy,\"ax\",@progbits\n"
	"\t.set\tdata, __start_wick_envoy + 4096\n"
	"\t.set\tvectors, __start_wick_envoy + 8192\n"
	"\t.set\tstack, __start_wick_envoy + 90112\n"
	"envoy_entry:\n"
	"\tmovq\t%rsp, data(%rip)\n"
	"\tleaq\tstack(%rip), %rsp\n"
	"\tpushfq\n"
	"\tpushq\t%rax\n"
	"\tpushq\t%rbx\n"
	"\tpushq\t%rcx\n"
	"\tpushq\t%rdx\n"
	"\tpushq\t%rsi\n"
	"\tpushq\t%rdi\n"
	"\tpushq\t%rbp\n"
	"\tpushq\t%r8\n"
	"\tpushq\t%r9\n"
	"\tpushq\t%r10\n"
	"\tpushq\t%r11\n"
	"\tpushq\t%r12\n"
	"\tpushq\t%r13\n"
	"\tpushq\t%r14\n"
	"\tpushq\t%r15\n"
	"\tcld\n"
	"\tleaq\tvectors(%rip), %r12\n"
	"\tmovl\t$-1, %eax\n"
	"\tmovl\t$-1, %edx\n"
	"\txsave64\t(%r12)\n"
	"\tleaq\tdata(%rip), %rdi\n"
	"\tcall\tenvoy_borrow\n"
	"\tmovl\t$-1, %eax\n"
	"\tmovl\t$-1, %edx\n"
	"\txrstor64 (%r12)\n"
	"\tpopq\t%r15\n"
	"\tpopq\t%r14\n"
	"\tpopq\t%r13\n"
	"\tpopq\t%r12\n"
	"\tpopq\t%r11\n"
	"\tpopq\t%r10\n"
	"\tpopq\t%r9\n"
	"\tpopq\t%r8\n"
	"\tpopq\t%rbp\n"
	"\tpopq\t%rdi\n"
	"\tpopq\t%rsi\n"
	"\tpopq\t%rdx\n"
	"\tpopq\t%rcx\n"
	"\tpopq\t%rbx\n"
	"\tpopq\t%rax\n"
	"\tpopfq\n"
	"\tmovq\tdata(%rip), %rsp\n"
	"\tjmpq\t*8+data(%rip)\n"
	".popsection\n");

/*
 * The way of the new thread, to the library for good: this page will go.  What
 * it is given there is the visit in the envoy.
 */
__asm__(".pushsection wick_envoy,\"ax\",@progbits\n"
	"envoy_thread:\n"
	"\tpushq\t%rbx\n"
	"\tmovq\t%rdi, %rbx\n"
	"\tcall\tenvoy_load\n"
	"\tleaq\t16(%rbx), %rdi\n"
	"\tpopq\t%rbx\n"
	"\ttestq\t%rax, %rax\n"
	"\tje\t1f\n"
	"\tjmpq\t*%rax\n"
	"1:\tret\n"
	".popsection\n");

ENVOY long system_call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return r;
}

/*
 * In the thread that is borrowed.  Only thread creation is asked of libc, and
 * this only where the thread can hold none of its locks: see moment.h.
 */
ENVOY void envoy_borrow(struct envoy *e)
{
	int (*create)(uint64_t *, const void *, uint64_t,
		      void *) = (void *)e->call.pthread_create;
	int (*detach)(uint64_t) = (void *)e->call.pthread_detach;
	int *(*errno_location)(void) = (void *)e->call.errno_location;
	/* All but the two that libc needs for cancelling and setuid(). */
	const uint64_t all = ~(UINT64_C(3) << 31);
	int saved = *errno_location();
	uint64_t before, thread;
	int r;

	system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before,
		    sizeof(all));
	r = create(&thread, NULL, e->thread, e);
	if (r) {
		e->visit.result = -r;
		atomic_store_explicit(&e->visit.state, VISIT_FAILED,
				      memory_order_release);
	} else {
		detach(thread);
	}
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0,
		    sizeof(all));
	*errno_location() = saved;
	/* Pairs with the command's reads. */
	atomic_store_explicit(&e->left, 1, memory_order_release);
}

ENVOY void copy_text(char *to, const char *from, size_t size)
{
	size_t i = 0;

	for (; from && from[i] && i + 1 < size; i++)
		to[i] = from[i];
	to[i] = '\0';
}

/* In the new thread.  Returns the library's function, or NULL. */
ENVOY void *envoy_load(struct envoy *e)
{
	void *(*open)(const char *, int) = (void *)e->call.dlopen;
	void *(*find)(void *, const char *) = (void *)e->call.dlsym;
	char *(*complaint)(void) = (void *)e->call.dlerror;
	int (*control)(int, const char *) = (void *)e->call.prctl;
	void *library, *function;

	e->visit.tid = (int32_t)system_call(SYS_gettid, 0, 0, 0, 0);
	atomic_store_explicit(&e->visit.state, VISIT_STARTED,
			      memory_order_release);
	control(PR_SET_NAME, e->thread_name);
	library = open(e->soname, e->dlopen_mode | RTLD_NOLOAD);
	e->visit.is_first = !library;
	if (!library)
		library = open(e->library, e->dlopen_mode);
	function = library ? find(library, e->function) : NULL;
	if (!function) {
		if (complaint)
			copy_text(e->visit.text, complaint(),
				  sizeof(e->visit.text));
		atomic_store_explicit(&e->visit.state, VISIT_FAILED,
				      memory_order_release);
	}
	return function;
}

const char *envoy_cannot(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return "this processor has no XSAVE";
	if (!__get_cpuid_count(13, 0, &a, &b, &c, &d) || b > ENVOY_VECTORS_SIZE)
		return "this processor has too many registers";
	return NULL;
}

const void *envoy_code(size_t *ret_size)
{
	*ret_size = (size_t)(envoy_code_end - envoy_code_begin);
	return envoy_code_begin;
}

size_t envoy_entry_offset(void)
{
	return (size_t)(envoy_entry - envoy_code_begin);
}

size_t envoy_thread_offset(void)
{
	return (size_t)(envoy_thread - envoy_code_begin);
}

static struct user_regs_struct *user(struct tracee_regs *r)
{
	return (struct user_regs_struct *)r->word;
}

static const struct user_regs_struct *user_of(const struct tracee_regs *r)
{
	return (const struct user_regs_struct *)r->word;
}

/* What the kernel's calls leave for its own eyes: <linux/errno.h>. */
enum {
	RESTART_SYS = 512,
	RESTART_NOINTR = 513,
	RESTART_NOHAND = 514,
	RESTART_BLOCK = 516,
};

/*
 * Calls that programs wait in, and have done nothing when they are woken.  The
 * kernel makes most of them again by itself; those that begin anew say EINTR
 * whenever they are woken, and are made again by us.
 */
static const struct {
	uint16_t number;
	uint8_t wait;
} waits[] = {
	{ SYS_accept, ENVOY_WAITS },
	{ SYS_accept4, ENVOY_WAITS },
	{ SYS_clock_nanosleep, ENVOY_WAITS },
	{ SYS_epoll_pwait, ENVOY_WAITS_ANEW },
	{ SYS_epoll_pwait2, ENVOY_WAITS_ANEW },
	{ SYS_epoll_wait, ENVOY_WAITS_ANEW },
	{ SYS_futex, ENVOY_WAITS },
	{ SYS_io_getevents, ENVOY_WAITS_ANEW },
	{ SYS_msgrcv, ENVOY_WAITS_ANEW },
	{ SYS_nanosleep, ENVOY_WAITS },
	{ SYS_pause, ENVOY_WAITS },
	{ SYS_poll, ENVOY_WAITS },
	{ SYS_ppoll, ENVOY_WAITS },
	{ SYS_pselect6, ENVOY_WAITS },
	{ SYS_read, ENVOY_WAITS },
	{ SYS_recvfrom, ENVOY_WAITS_ANEW },
	{ SYS_recvmsg, ENVOY_WAITS_ANEW },
	{ SYS_rt_sigsuspend, ENVOY_WAITS },
	{ SYS_rt_sigtimedwait, ENVOY_WAITS_ANEW },
	{ SYS_select, ENVOY_WAITS },
	{ SYS_semop, ENVOY_WAITS_ANEW },
	{ SYS_semtimedop, ENVOY_WAITS_ANEW },
	{ SYS_wait4, ENVOY_WAITS },
	{ SYS_waitid, ENVOY_WAITS },
};

enum envoy_wait envoy_wait_of(long number)
{
	for (unsigned i = 0; i < ARRAY_SIZE(waits); i++)
		if (waits[i].number == number)
			return waits[i].wait;
	return ENVOY_BUSY;
}

/* The instruction before the next one is made again. */
static void go_back(struct user_regs_struct *r, unsigned long number)
{
	r->rax = number;
	r->rip -= 2;
	/* The kernel must not do it once more. */
	r->orig_rax = (unsigned long)-1;
}

bool envoy_repeat(struct tracee_regs *regs)
{
	struct user_regs_struct *r = user(regs);
	const long number = (long)r->orig_rax;

	if (number < 0 || (long)r->rax != -EINTR ||
	    envoy_wait_of(number) == ENVOY_BUSY)
		return false;
	go_back(r, (unsigned long)number);
	return true;
}

void envoy_restart(struct tracee_regs *regs)
{
	struct user_regs_struct *r = user(regs);
	const long result = -(long)r->rax;

	if ((long)r->orig_rax < 0)
		return;
	if (result == RESTART_BLOCK)
		go_back(r, SYS_restart_syscall);
	else if (result == RESTART_SYS || result == RESTART_NOINTR ||
		 result == RESTART_NOHAND)
		go_back(r, r->orig_rax);
}

/*
 * What follows on the stack are the registers that a call uses or changes, and
 * where to go next; then, as far below the stack as programs may have put
 * something, either the same for another call, or the thread's own stack.
 */
static const uint8_t errand_code[] = {
	0x0f, 0x05,	  /* syscall */
	0x58,		  /* pop %rax */
	0x5f,		  /* pop %rdi */
	0x5e,		  /* pop %rsi */
	0x5a,		  /* pop %rdx */
	0x59,		  /* pop %rcx */
	0x41, 0x58,	  /* pop %r8 */
	0x41, 0x59,	  /* pop %r9 */
	0x41, 0x5a,	  /* pop %r10 */
	0x41, 0x5b,	  /* pop %r11 */
	0xc2, 0x80, 0x00, /* ret $128 */
};

enum { RED_ZONE = 128, ERRAND_WORDS = 10 + RED_ZONE / 8 };

const void *envoy_errand_code(size_t *ret_size)
{
	*ret_size = sizeof(errand_code);
	return errand_code;
}

static void set_call(struct user_regs_struct *r, const struct envoy_call *c)
{
	r->rax = (unsigned long)c->number;
	r->rdi = c->argument[0];
	r->rsi = c->argument[1];
	r->rdx = c->argument[2];
	r->r10 = c->argument[3];
	r->r8 = c->argument[4];
	r->r9 = c->argument[5];
}

static void put_errand(uint64_t *to, const struct user_regs_struct *r)
{
	const uint64_t words[] = { r->rax, r->rdi, r->rsi, r->rdx, r->rcx,
				   r->r8,  r->r9,  r->r10, r->r11, r->rip };

	memcpy(to, words, sizeof(words));
}

void envoy_errand(struct tracee_regs *regs, uint64_t code,
		  const struct envoy_call *calls, unsigned count,
		  struct envoy_errand *ret)
{
	struct user_regs_struct *r = user(regs);

	*ret = (struct envoy_errand){ .size = count * ERRAND_WORDS *
					      sizeof(uint64_t) };
	ASSERT(ret->size <= sizeof(ret->word));
	ret->at = r->rsp - ret->size;
	/* From the last to the first: what comes after each is known then. */
	while (count--) {
		put_errand(ret->word + count * ERRAND_WORDS, r);
		set_call(r, &calls[count]);
		r->rip = code;
	}
	r->rsp = ret->at;
	r->orig_rax = (unsigned long)-1;
}

uint64_t envoy_pc(const struct tracee_regs *r)
{
	return user_of(r)->rip;
}

uint64_t envoy_sp(const struct tracee_regs *r)
{
	return user_of(r)->rsp;
}

void envoy_set_pc(struct tracee_regs *r, uint64_t pc)
{
	user(r)->rip = pc;
	user(r)->orig_rax = (unsigned long)-1;
}

void envoy_unwind_regs(const struct tracee_regs *regs, uint64_t all[34],
		       struct unwind_regs *ret)
{
	const struct user_regs_struct *r = user_of(regs);
	/* In DWARF's order. */
	const uint64_t words[] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi,
				   r->rdi, r->rbp, r->rsp, r->r8,  r->r9,
				   r->r10, r->r11, r->r12, r->r13, r->r14,
				   r->r15, r->rip };

	memcpy(all, words, sizeof(words));
	*ret = (struct unwind_regs){
		.pc = r->rip,
		.sp = r->rsp,
		.fp = r->rbp,
		.extra = r->rbx,
		.all = all,
		.n_all = ARRAY_SIZE(words),
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};
}

/* Where a jump or call relative to the address behind it leads. */
static uint64_t relative(uint64_t address, const uint8_t *offset)
{
	int32_t value;

	memcpy(&value, offset, sizeof(value));
	return address + (uint64_t)(int64_t)value;
}

static uint64_t load(uint64_t at, envoy_reader *read, void *context)
{
	uint64_t value;

	return read(context, at, &value, sizeof(value)) ? value : 0;
}

/* A stub of the table of linkage: perhaps endbr64, perhaps bnd, a jump. */
static uint64_t through_stub(uint64_t at, envoy_reader *read, void *context)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t code[11];
	const uint8_t *c = code;

	if (!read(context, at, code, sizeof(code)))
		return 0;
	if (!memcmp(c, endbr, sizeof(endbr)))
		c += sizeof(endbr);
	if (*c == 0xf2)
		c++;
	if (c[0] != 0xff || c[1] != 0x25 || c + 6 > code + sizeof(code))
		return at;
	return load(relative(at + (uint64_t)(c - code) + 6, c + 2), read,
		    context);
}

uint64_t envoy_callee(uint64_t address, envoy_reader *read, void *context)
{
	uint8_t code[6];

	if (!read(context, address - sizeof(code), code, sizeof(code)))
		return 0;
	if (code[0] == 0xff && code[1] == 0x15)
		return load(relative(address, code + 2), read, context);
	if (code[1] == 0xe8)
		return through_stub(relative(address, code + 2), read, context);
	return 0;
}
