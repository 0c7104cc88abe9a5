/* SPDX-License-Identifier: MIT */
/* See size.h. */
#include "collect/size.h"

#include "base/sink.h"

void put_size(struct sink *out, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
	uint64_t tenths = bytes * 10;
	unsigned unit = 0;

	for (; tenths >= 10000 && unit < 4; unit++)
		tenths /= 1000;
	if (tenths < 100 && unit)
		sink_format(out, "%llu.%llu %s",
			    (unsigned long long)(tenths / 10),
			    (unsigned long long)(tenths % 10), units[unit]);
	else
		sink_format(out, "%llu %s", (unsigned long long)(tenths / 10),
			    units[unit]);
}
