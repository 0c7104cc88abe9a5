/* SPDX-License-Identifier: MIT */
/*
 * Frames as text.  With a million answers a second, writing them costs more
 * than finding them, so each frame asks for room once and is then copied.
 */
#include "symbolize/frametext.h"

#include <string.h>

#include "base/sink.h"
#include "symbol/module.h"

enum {
	ADDRESS_DIGITS = 16,
	ADDRESS_ROOM = 2 + ADDRESS_DIGITS + 1,
	FRAME_ROOM = 32, /* for all that is not a name */
};

static char *put(char *to, const char *text, size_t len)
{
	memcpy(to, text, len);
	return to + len;
}

static char *put_line(char *to, uint32_t line)
{
	char buf[12];
	char *at = buf + sizeof(buf);

	if (!line)
		*--at = '?';
	for (; line; line /= 10)
		*--at = (char)('0' + line % 10);
	return put(to, at, (size_t)(buf + sizeof(buf) - at));
}

static void write_address(struct sink *to, uint64_t address)
{
	static const char digits[] = "0123456789abcdef";
	char *at = sink_room(to, ADDRESS_ROOM);

	if (!at)
		return;
	*at++ = '0';
	*at++ = 'x';
	for (int shift = 4 * (ADDRESS_DIGITS - 1); shift >= 0; shift -= 4)
		*at++ = digits[address >> shift & 15];
	*at = '\n';
	sink_filled(to, ADDRESS_ROOM);
}

static void write_frame(struct sink *to, const struct symbol_frame *f)
{
	const char *name = *f->function ? f->function : "??";
	const char *file = *f->file ? f->file : "??";
	size_t name_len = strlen(name);
	size_t file_len = strlen(file);
	size_t directory_len = *f->file ? strlen(f->directory) : 0;
	char *start = sink_room(to, name_len + directory_len + file_len +
					    FRAME_ROOM);
	char *at = start;

	if (!at)
		return;
	at = put(at, name, name_len);
	*at++ = '\n';
	if (directory_len) {
		at = put(at, f->directory, directory_len);
		*at++ = '/';
	}
	at = put(at, file, file_len);
	*at++ = ':';
	at = put_line(at, f->line);
	*at++ = '\n';
	sink_filled(to, (size_t)(at - start));
}

void frametext_write(struct sink *to, uint64_t address,
		     const struct symbol_frame *frame, uint32_t count)
{
	write_address(to, address);
	if (!count)
		sink_text(to, "??\n??:0\n");
	for (uint32_t i = 0; i < count; i++)
		write_frame(to, &frame[i]);
}

void frametext_path(struct sink *to, const struct symbol_frame *frame)
{
	if (*frame->directory) {
		sink_text(to, frame->directory);
		sink_char(to, '/');
	}
	sink_text(to, frame->file);
}
