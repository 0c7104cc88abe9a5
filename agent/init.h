/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_INIT_H
#define WICK_AGENT_INIT_H

/* The value of an environment variable; NULL: it is not set. */
const char *init_setting(const char *name);

#endif /* WICK_AGENT_INIT_H */
