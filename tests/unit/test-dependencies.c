/* SPDX-License-Identifier: MIT */
/*
 * The libraries wick stands on do what it needs of them.  This also proves,
 * together with the test "linkage", that each can be linked statically into a
 * position-independent program.
 */
#include <capstone/capstone.h>
#include <histedit.h>
#include <libdeflate.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "test.h"

static const char text[] = "where time and memory go, go, go, go, go, go, go";

TEST(zstd_gives_back_what_it_took)
{
	char packed[256], plain[sizeof(text)];
	size_t n = ZSTD_compress(packed, sizeof(packed), text, sizeof(text), 3);

	CHECK(!ZSTD_isError(n));
	CHECK_EQ(ZSTD_decompress(plain, sizeof(plain), packed, n),
		 sizeof(text));
	CHECK_BYTES(plain, sizeof(plain), text, sizeof(text));
}

TEST(libdeflate_gives_back_what_it_took)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	char packed[256], plain[sizeof(text)];
	size_t n = libdeflate_gzip_compress(c, text, sizeof(text), packed,
					    sizeof(packed));

	CHECK(n > 0);
	CHECK_EQ(libdeflate_gzip_decompress(d, packed, n, plain, sizeof(plain),
					    NULL),
		 LIBDEFLATE_SUCCESS);
	CHECK_BYTES(plain, sizeof(plain), text, sizeof(text));
	libdeflate_free_compressor(c);
	libdeflate_free_decompressor(d);
}

TEST(lzma_gives_back_what_it_took)
{
	uint8_t packed[512], plain[sizeof(text)];
	size_t packed_len = 0, in = 0, out = 0;
	uint64_t limit = UINT64_MAX;

	CHECK_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL,
					 (const uint8_t *)text, sizeof(text),
					 packed, &packed_len, sizeof(packed)),
		 LZMA_OK);
	CHECK_EQ(lzma_stream_buffer_decode(&limit, 0, NULL, packed, &in,
					   packed_len, plain, &out,
					   sizeof(plain)),
		 LZMA_OK);
	CHECK_BYTES(plain, out, text, sizeof(text));
}

TEST(pcre2_prefers_the_leftmost_alternative_as_go_does)
{
	int code;
	PCRE2_SIZE at;
	pcre2_code *re = pcre2_compile((PCRE2_SPTR) "a|ab",
				       PCRE2_ZERO_TERMINATED, 0, &code, &at,
				       NULL);
	pcre2_match_data *m = pcre2_match_data_create(1, NULL);

	CHECK(re);
	CHECK_EQ(pcre2_match(re, (PCRE2_SPTR) "xab", 3, 0, 0, m, NULL), 1);
	CHECK_EQ(pcre2_get_ovector_pointer(m)[0], 1);
	CHECK_EQ(pcre2_get_ovector_pointer(m)[1], 2);
	pcre2_match_data_free(m);
	pcre2_code_free(re);
}

TEST(capstone_disassembles_both_machines)
{
	csh x86, arm;
	cs_insn *insn;

	CHECK_EQ(cs_open(CS_ARCH_X86, CS_MODE_64, &x86), CS_ERR_OK);
	CHECK_EQ(cs_disasm(x86, (const uint8_t *)"\xc3", 1, 0, 0, &insn), 1);
	CHECK_STR(insn->mnemonic, "ret");
	cs_free(insn, 1);
	cs_close(&x86);
	CHECK_EQ(cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &arm), CS_ERR_OK);
	CHECK_EQ(cs_disasm(arm, (const uint8_t *)"\xc0\x03\x5f\xd6", 4, 0, 0,
			   &insn),
		 1);
	CHECK_STR(insn->mnemonic, "ret");
	cs_free(insn, 1);
	cs_close(&arm);
}

TEST(libedit_keeps_a_history)
{
	History *h = history_init();
	HistEvent event;

	CHECK(h);
	CHECK_EQ(history(h, &event, H_SETSIZE, 10), 0);
	CHECK(history(h, &event, H_ENTER, "top 10") >= 0);
	CHECK_EQ(history(h, &event, H_FIRST), 0);
	CHECK_STR(event.str, "top 10");
	history_end(h);
}

TEST(libedit_starts_without_a_terminal)
{
	FILE *null = fopen("/dev/null", "r+");
	EditLine *e;

	CHECK(null);
	e = el_init("wick", null, null, null);
	CHECK(e);
	el_end(e);
	fclose(null);
}
