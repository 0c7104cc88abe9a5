/* SPDX-License-Identifier: MIT */
/* C++ exceptions in flight, for tests/unwind/truth to step through. */
#include <cstdio>
#include <stdexcept>
#include <string>

struct guard {
	int *counter;
	~guard()
	{
		++*counter;
	}
};

static volatile int sink;

__attribute__((noinline)) static int thrower(int n, int *counter)
{
	guard g{ counter };

	if (n == 0)
		throw std::runtime_error("thrown " + std::to_string(n));
	return thrower(n - 1, counter) + sink;
}

int main()
{
	int counter = 0;

	for (int i = 0; i < 3; i++) {
		try {
			sink = thrower(i, &counter);
		} catch (const std::exception &e) {
			sink = e.what()[0];
		}
	}
	return counter != 6;
}
