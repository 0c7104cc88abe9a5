/* SPDX-License-Identifier: MIT */
/*
 * Huffman codes of bounded length; see huffman.h.  The tree is made of symbols
 * in the order of their counts, so that the next two to join are always at the
 * front of one of two queues: the symbols, and what has been joined.
 */
#include "format/huffman.h"

#include <stddef.h>

#include "base/check.h"
#include "base/sort.h"

/* The tree's inner nodes, in the order in which they were made. */
struct tree {
	uint64_t weight[HUFFMAN_SYMBOLS];
	uint16_t parent[HUFFMAN_SYMBOLS]; /* of inner nodes */
	unsigned inner;
};

/* The symbols that occur, the rarest first; at least two. */
static unsigned sort_symbols(struct sort_item *items, const uint32_t *count,
			     unsigned symbols)
{
	struct sort_item scratch[HUFFMAN_SYMBOLS];
	unsigned used = 0;

	for (unsigned i = 0; i < symbols; i++)
		if (count[i])
			items[used++] = (struct sort_item){ .key = count[i],
							    .id = i };
	for (unsigned i = 0; used < 2; i++)
		if (!count[i])
			items[used++] = (struct sort_item){ .id = i };
	sort_items(items, scratch, used);
	return used;
}

/* Joins the two rarest until one is left, which is the root. */
static void join(struct tree *t, const struct sort_item *leaves, unsigned used)
{
	unsigned leaf = 0;
	unsigned inner = 0;

	for (t->inner = 0; t->inner < used - 1; t->inner++) {
		uint64_t weight = 0;

		for (unsigned side = 0; side < 2; side++) {
			if (inner == t->inner ||
			    (leaf < used &&
			     leaves[leaf].key <= t->weight[inner])) {
				weight += leaves[leaf++].key;
			} else {
				weight += t->weight[inner];
				t->parent[inner++] = (uint16_t)t->inner;
			}
		}
		t->weight[t->inner] = weight;
	}
}

/*
 * How many symbols get each length.  Each inner node, from the root on, turns
 * a leaf of its depth into two below.  Where that would be too deep, the
 * deepest leaf that still may is turned into two instead: not the best code of
 * that length, but as good as, and this hardly ever happens.
 */
static void count_lengths(unsigned *lengths, const struct tree *t,
			  unsigned most)
{
	uint8_t depth[HUFFMAN_SYMBOLS];
	unsigned root = t->inner - 1;

	for (unsigned i = 0; i <= HUFFMAN_BITS; i++)
		lengths[i] = 0;
	lengths[0] = 1;
	for (unsigned i = t->inner; i-- > 0;) {
		unsigned d;

		depth[i] = i == root ? 0 : (uint8_t)(depth[t->parent[i]] + 1);
		d = depth[i];
		if (d >= most)
			for (d = most - 1; !lengths[d];)
				d--;
		lengths[d]--;
		lengths[d + 1] += 2;
	}
}

static uint16_t reversed(unsigned bits, unsigned length)
{
	unsigned result = 0;

	for (unsigned i = 0; i < length; i++)
		result |= (bits >> i & 1) << (length - 1 - i);
	return (uint16_t)result;
}

/* Symbols of one length have consecutive codes, in their own order. */
static void assign_bits(struct huffman *code, const unsigned *lengths,
			unsigned symbols)
{
	unsigned next[HUFFMAN_BITS + 2] = { 0 };

	for (unsigned i = 1; i <= HUFFMAN_BITS; i++)
		next[i + 1] = (next[i] + lengths[i]) << 1;
	for (unsigned i = 0; i < symbols; i++) {
		struct huffman_symbol *s = &code->symbol[i];

		if (s->length)
			s->bits = reversed(next[s->length]++, s->length);
	}
}

void huffman_make(struct huffman *code, const uint32_t *count, unsigned symbols,
		  unsigned most)
{
	struct sort_item leaves[HUFFMAN_SYMBOLS];
	unsigned lengths[HUFFMAN_BITS + 1];
	struct tree tree;
	unsigned used, next = 0;

	ASSERT(symbols >= 2 && symbols <= HUFFMAN_SYMBOLS &&
	       most <= HUFFMAN_BITS);
	used = sort_symbols(leaves, count, symbols);
	join(&tree, leaves, used);
	count_lengths(lengths, &tree, most);
	*code = (struct huffman){ 0 };
	for (unsigned length = most; length; length--)
		for (unsigned i = 0; i < lengths[length]; i++)
			code->symbol[leaves[next++].id].length = (uint8_t)
				length;
	assign_bits(code, lengths, symbols);
}
