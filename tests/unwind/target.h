/* SPDX-License-Identifier: MIT */
/*
 * A program that is run one instruction at a time, whoever runs it: the kernel
 * (ptrace) or an emulator (QEMU, by the remote protocol of gdb).
 */
#ifndef WICK_TEST_TARGET_H
#define WICK_TEST_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TARGET_REGISTERS = 33,
	TARGET_STOPS = 64, /* as many as run() is given */
};

struct target_state {
	/* In DWARF's numbering; aarch64: [32] is pc, [31] sp. */
	uint64_t reg[TARGET_REGISTERS];
	uint64_t pc;
	uint64_t sp;
};

struct target_map {
	uint64_t lo;
	uint64_t hi;
	uint64_t offset;
	bool executable;
	char path[256];
};

struct target {
	uint16_t machine;
	/* Runs one instruction; false when the program has ended.  *signal is
	 * set to the signal that was delivered instead, or 0. */
	bool (*step)(struct target *t, int *signal);
	bool (*state)(struct target *t, struct target_state *s);
	/* Runs freely until pc is one of stops; false if the program has ended
	 * before. */
	bool (*run)(struct target *t, const uint64_t *stops, size_t n);
	/* Returns how many bytes from addr on could be read. */
	size_t (*read)(struct target *t, uint64_t addr, void *to, size_t len);
	/* Fills at most max mappings; returns how many there are. */
	size_t (*maps)(struct target *t, struct target_map *maps, size_t max);
	int pid; /* of what runs it */
	int fd;	 /* to the emulator */
	const char *path;
};

/* Stopped before its first instruction, to be stepped. */
void target_ptrace(struct target *t, char **argv);
/* Running, to be stopped by PTRACE_INTERRUPT; state and step are no use. */
void target_seized(struct target *t, char **argv);
void target_qemu(struct target *t, char **argv);

#endif /* WICK_TEST_TARGET_H */
