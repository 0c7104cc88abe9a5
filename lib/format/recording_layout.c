/* SPDX-License-Identifier: MIT */
/*
 * Which member of which row is stored in which column.  One table serves the
 * writer and the reader, so they cannot disagree.
 */
#include "format/recording_layout.h"

#include "base/check.h"
#include "format/recording_column.h"
#include "profile/profile.h"

#define MEMBER(type, member) \
	.size = sizeof(((struct type *)0)->member), \
	.offset = offsetof(struct type, member)
#define LAYOUT(type, field_array) \
	{ \
		.fields = (field_array), \
		.field_count = ARRAY_SIZE(field_array), \
		.row_size = sizeof(struct type) \
	}

static const struct field type_fields[] = {
	{ 1, ENCODING_UNSIGNED, FIELD_ALWAYS, .ref = BLOCK_STRINGS,
	  MEMBER(value_type, type) },
	{ 2, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS,
	  MEMBER(value_type, unit) },
};

/* These columns have one value, not one for each type. */
static const struct field header_fields[] = {
	{ 3, ENCODING_SIGNED, MEMBER(profile_header, time_nanos) },
	{ 4, ENCODING_SIGNED, MEMBER(profile_header, duration_nanos) },
	{ 5, ENCODING_SIGNED, MEMBER(profile_header, period) },
	{ 6, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS,
	  MEMBER(profile_header, period_type.type) },
	{ 7, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS,
	  MEMBER(profile_header, period_type.unit) },
	{ 8, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS,
	  MEMBER(profile_header, default_type) },
	{ 9, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS,
	  MEMBER(profile_header, drop_frames) },
	{ 10, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS,
	  MEMBER(profile_header, keep_frames) },
	{ 11, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS,
	  MEMBER(profile_header, doc_url) },
};

static const struct field mapping_fields[] = {
	{ 1, ENCODING_DELTA, FIELD_ALWAYS, MEMBER(mapping, start) },
	{ 2, ENCODING_DELTA, MEMBER(mapping, limit) },
	{ 3, ENCODING_UNSIGNED, MEMBER(mapping, offset) },
	{ 4, ENCODING_DELTA, .ref = BLOCK_STRINGS, MEMBER(mapping, file) },
	{ 5, ENCODING_DELTA, .ref = BLOCK_STRINGS, MEMBER(mapping, build_id) },
	{ 6, ENCODING_DELTA, .ref = BLOCK_STRINGS,
	  MEMBER(mapping, kernel_symbol) },
	{ 7, ENCODING_UNSIGNED, MEMBER(mapping, flags) },
	{ 8, ENCODING_DELTA, FIELD_OR_NUMBER, MEMBER(mapping, id) },
};

static const struct field function_fields[] = {
	{ 1, ENCODING_DELTA, FIELD_ALWAYS, .ref = BLOCK_STRINGS,
	  MEMBER(function, name) },
	{ 2, ENCODING_DELTA, .ref = BLOCK_STRINGS,
	  MEMBER(function, system_name) },
	{ 3, ENCODING_DELTA, .ref = BLOCK_STRINGS, MEMBER(function, file) },
	{ 4, ENCODING_SIGNED, MEMBER(function, start_line) },
	{ 5, ENCODING_DELTA, FIELD_OR_NUMBER, MEMBER(function, id) },
};

static const struct field location_fields[] = {
	{ 1, ENCODING_DELTA, FIELD_ALWAYS, MEMBER(location, address) },
	{ 2, ENCODING_DELTA, .ref = BLOCK_MAPPINGS, MEMBER(location, mapping) },
	{ 3, ENCODING_UNSIGNED, MEMBER(location, folded) },
	{ 4, ENCODING_DELTA, FIELD_OR_NUMBER, MEMBER(location, id) },
	{ 5, ENCODING_UNSIGNED, MEMBER(location, line_count) },
};

/* In the same block, with a value for each line of each location. */
static const struct field line_fields[] = {
	{ 6, ENCODING_UNSIGNED, FIELD_ALWAYS, .ref = BLOCK_FUNCTIONS,
	  MEMBER(line, function) },
	{ 7, ENCODING_SIGNED, MEMBER(line, line) },
	{ 8, ENCODING_SIGNED, MEMBER(line, column) },
};

/* With a value for each label of each set. */
static const struct field label_fields[] = {
	{ 2, ENCODING_UNSIGNED, FIELD_ALWAYS, .ref = BLOCK_STRINGS,
	  MEMBER(label, key) },
	{ 3, ENCODING_DELTA, .ref = BLOCK_STRINGS, MEMBER(label, text) },
	{ 4, ENCODING_UNSIGNED, MEMBER(label, numeric) },
	{ 5, ENCODING_SIGNED, MEMBER(label, number) },
	{ 6, ENCODING_UNSIGNED, .ref = BLOCK_STRINGS, MEMBER(label, unit) },
};

const struct row_layout type_layout = LAYOUT(value_type, type_fields);
const struct row_layout header_layout = LAYOUT(profile_header, header_fields);
const struct row_layout mapping_layout = LAYOUT(mapping, mapping_fields);
const struct row_layout function_layout = LAYOUT(function, function_fields);
const struct row_layout location_layout = LAYOUT(location, location_fields);
const struct row_layout line_layout = LAYOUT(line, line_fields);
const struct row_layout label_layout = LAYOUT(label, label_fields);

const char *block_name(unsigned type)
{
	static const char *const names[BLOCK_TYPES] = {
		[BLOCK_STRINGS] = "strings",
		[BLOCK_HEADER] = "header",
		[BLOCK_MAPPINGS] = "mappings",
		[BLOCK_FUNCTIONS] = "functions",
		[BLOCK_LOCATIONS] = "locations",
		[BLOCK_STACKS] = "stacks",
		[BLOCK_LABELS] = "labels",
		[BLOCK_SAMPLES] = "samples",
		[BLOCK_LOSS] = "loss",
		[BLOCK_END] = "end",
		[BLOCK_SYMBOLS] = "symbols",
	};

	return type < BLOCK_TYPES && names[type] ? names[type] : "unknown";
}
