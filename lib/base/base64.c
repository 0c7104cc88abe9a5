/* SPDX-License-Identifier: MIT */
/* See base64.h. */
#include "base/base64.h"

#include "base/sink.h"

/* The four digits that stand for the first bytes of s, of which it has one. */
static void encode(struct span s, char digit[4])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)s.at[0] << 16;

	if (s.len > 1)
		bits |= (uint32_t)s.at[1] << 8;
	if (s.len > 2)
		bits |= s.at[2];
	digit[0] = digits[bits >> 18];
	digit[1] = digits[bits >> 12 & 63];
	digit[2] = s.len > 1 ? digits[bits >> 6 & 63] : '=';
	digit[3] = s.len > 2 ? digits[bits & 63] : '=';
}

void sink_base64(struct sink *out, struct span bytes)
{
	char part[4 * 512];
	size_t used = 0;

	for (size_t i = 0; i < bytes.len; i += 3) {
		encode(span_part(bytes, i, bytes.len - i), part + used);
		used += 4;
		if (used == sizeof(part)) {
			sink_write(out, part, used);
			used = 0;
		}
	}
	sink_write(out, part, used);
}
