/* SPDX-License-Identifier: MIT */
/* What becomes of the registers of a thread that is sent somewhere. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "inside/envoy.h"
#include "inside/tracee.h"
#include "test.h"

enum { PC = 0x1002, STACK = 0x7000, CODE = 0x4000 };

/* A thread that has just been woken in a call, with this result. */
static struct tracee_regs woken(long number, long result)
{
	struct tracee_regs r = { .size = sizeof(struct user_regs_struct) };
	struct user_regs_struct u = { .rip = PC,
				      .rsp = STACK,
				      .rdi = 77,
				      .rax = (unsigned long)result,
				      .orig_rax = (unsigned long)number };

	memcpy(r.word, &u, sizeof(u));
	return r;
}

static struct user_regs_struct user(const struct tracee_regs *r)
{
	struct user_regs_struct u;

	memcpy(&u, r->word, sizeof(u));
	return u;
}

TEST(a_call_that_was_broken_off_is_made_again)
{
	for (long result = 512; result <= 514; result++) {
		struct tracee_regs r = woken(SYS_read, -result);

		envoy_restart(&r);
		CHECK_EQ(envoy_pc(&r), PC - 2);
		CHECK_EQ(user(&r).rax, SYS_read);
		CHECK_EQ((long)user(&r).orig_rax, -1);
	}
}

TEST(a_timeout_goes_on_from_where_it_was)
{
	struct tracee_regs r = woken(SYS_nanosleep, -516);

	envoy_restart(&r);
	CHECK_EQ(envoy_pc(&r), PC - 2);
	CHECK_EQ(user(&r).rax, SYS_restart_syscall);
}

TEST(a_call_that_is_done_is_not_made_again)
{
	struct tracee_regs r = woken(SYS_read, 5);

	envoy_restart(&r);
	CHECK(!envoy_repeat(&r));
	CHECK_EQ(envoy_pc(&r), PC);
	CHECK_EQ(user(&r).rax, 5);
}

TEST(a_thread_in_no_call_stays_where_it_is)
{
	struct tracee_regs r = woken(-1, -512);

	envoy_restart(&r);
	CHECK(!envoy_repeat(&r));
	CHECK_EQ(envoy_pc(&r), PC);
}

TEST(only_waits_are_repeated)
{
	struct tracee_regs wait = woken(SYS_epoll_wait, -EINTR);
	struct tracee_regs close = woken(SYS_close, -EINTR);

	CHECK(envoy_repeat(&wait));
	CHECK_EQ(user(&wait).rax, SYS_epoll_wait);
	CHECK(!envoy_repeat(&close));
	CHECK_EQ((long)user(&close).rax, -EINTR);
}

TEST(an_errand_ends_where_it_began)
{
	const struct envoy_call calls[] = { { SYS_mmap, { 1, 2, 3, 4, 5, 6 } },
					    { SYS_munmap, { 8, 9 } } };
	struct tracee_regs r = woken(SYS_read, 5);
	struct envoy_errand e;

	envoy_errand(&r, CODE, calls, 2, &e);
	CHECK_EQ(envoy_pc(&r), CODE);
	CHECK_EQ(envoy_sp(&r), e.at);
	CHECK_EQ(e.at + e.size, STACK);
	CHECK_EQ(user(&r).rax, SYS_mmap);
	CHECK_EQ(user(&r).r9, 6);

	/* Then the second call, at the same code. */
	CHECK_EQ(e.word[0], SYS_munmap);
	CHECK_EQ(e.word[1], 8);
	CHECK_EQ(e.word[9], CODE);

	/* Then the thread's own. */
	CHECK_EQ(e.word[26], 5);
	CHECK_EQ(e.word[27], 77);
	CHECK_EQ(e.word[35], PC);
	CHECK_EQ(e.size, sizeof(uint64_t) * (36 + 128 / 8));
}

static bool read_here(void *context, uint64_t at, void *to, size_t len)
{
	(void)context;
	memcpy(to, (const void *)at, len);
	return true;
}

TEST(the_callee_is_found_through_the_table_of_linkage)
{
	static uint8_t code[64];
	static uint64_t slot = 0x1234;
	const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25 };
	int32_t to_slot = (int32_t)((uint64_t)&slot - (uint64_t)(code + 42));
	int32_t to_stub = 32 - 10;

	code[5] = 0xe8;
	memcpy(code + 6, &to_stub, 4);
	memcpy(code + 32, endbr, sizeof(endbr));
	memcpy(code + 38, &to_slot, 4);
	CHECK_EQ(envoy_callee((uint64_t)(code + 10), read_here, NULL), 0x1234);
	CHECK_EQ(envoy_callee((uint64_t)(code + 20), read_here, NULL), 0);
}
