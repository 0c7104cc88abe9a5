/* SPDX-License-Identifier: MIT */
/* Inlined calls, two deep; "inlines" is this, compiled. */
static inline int sq(int x)
{
	return x * x;
}
static inline int two(int x)
{
	volatile int y = sq(x);
	return y + sq(y);
}
int f(int a)
{
	int t = 0;
	for (int i = 0; i < a; i++)
		t += two(i);
	return t;
}
__attribute__((noinline)) int g(int a)
{
	return f(a) ^ two(a);
}
void _start(void)
{
	g(3);
	for (;;)
		;
}
