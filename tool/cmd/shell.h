/* SPDX-License-Identifier: MIT */
#ifndef WICK_CMD_SHELL_H
#define WICK_CMD_SHELL_H

struct command;
struct sink;

/*
 * A shell that a completion script can be written for.  To add one: write
 * shell_<name>.c and list it in completion.c.
 */
struct shell {
	const char *name;
	/* Writes the script for all commands, an array that ends with NULL. */
	void (*write)(struct sink *out, const struct command *const *all);
};

extern const struct shell shell_bash;
extern const struct shell shell_fish;
extern const struct shell shell_zsh;

#endif /* WICK_CMD_SHELL_H */
