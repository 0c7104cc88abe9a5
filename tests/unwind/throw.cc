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

extern "C" void case_throw()
{
	int counter = 0;

	for (int i = 0; i < 2; i++) {
		try {
			sink = thrower(i, &counter);
		} catch (const std::exception &e) {
			sink = e.what()[0];
		}
	}
}

extern "C" void case_rethrow()
{
	int counter = 0;

	try {
		try {
			sink = thrower(1, &counter);
		} catch (const std::exception &) {
			throw;
		}
	} catch (...) {
		sink = counter;
	}
}

int main()
{
	void (*const volatile cases[])() = { case_throw, case_rethrow };

	for (auto run : cases)
		run();
}
