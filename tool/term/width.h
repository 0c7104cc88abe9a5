/* SPDX-License-Identifier: MIT */
#ifndef WICK_TERM_WIDTH_H
#define WICK_TERM_WIDTH_H

/*
 * The columns that text on fd may fill: COLUMNS if it is set to a number, else
 * the terminal's width, else 80.  Never below 20, so that layouts need no case
 * for a window that shows nothing.
 */
unsigned term_width(int fd);

#endif /* WICK_TERM_WIDTH_H */
