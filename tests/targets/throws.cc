/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ exceptions through zones, out of threads' frames too. */
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "tracewrap.h"

static int descend(int depth)
{
	TRACEWRAP_ZONE("descend");
	if (depth == 0)
		throw std::runtime_error("bottom");
	return descend(depth - 1) + 1;
}

static int attempt()
{
	int n_caught = 0;

	for (int i = 0; i < 100; i++) {
		TRACEWRAP_ZONE("attempt");
		try {
			descend(4);
		} catch (const std::runtime_error &) {
			TRACEWRAP_ZONE("catch");
			n_caught++;
		}
	}
	return n_caught;
}

int main()
{
	int first = attempt(), second = 0;
	std::thread other([&] { second = attempt(); });

	other.join();
	{
		TRACEWRAP_ZONE("after");
	}
	std::printf("caught %d %d\n", first, second);
	return 0;
}
