/* SPDX-License-Identifier: MIT */
/* A million exceptions, from many threads and depths. */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "wick.h"

static int fall(int depth)
{
	struct guard {
		std::string s{ "held while the stack is unwound" };
	} g;

	if (!depth)
		throw std::runtime_error("bottom");
	return fall(depth - 1) + static_cast<int>(g.s.size());
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? std::atoi(argv[1]) : 1000000;
	std::vector<long> caught(4);
	std::vector<std::thread> threads;
	long sum = 0;

	for (size_t t = 0; t < caught.size(); t++)
		threads.emplace_back([&caught, t, count] {
			for (int i = 0; i < count / 4; i++)
				try {
					fall(i % 6);
				} catch (const std::exception &e) {
					caught[t]++;
				}
		});
	for (auto &t : threads)
		t.join();
	for (long c : caught)
		sum += c;
	std::printf("caught %ld\ndone\n", sum);
	return 0;
}
