/* SPDX-License-Identifier: BSD-3-Clause */
/* Annotations touch neither errno nor the floating-point state. */
#include <fenv.h>

#include "target.h"

int main(void)
{
	int n_changed = 0;

	fesetround(FE_UPWARD);
	feclearexcept(FE_ALL_EXCEPT);
	for (int i = 0; i < 20000; i++) {
		errno = 77;
		{
			TRACEWRAP_ZONE("quiet");
			TRACEWRAP_TEXT("some text", 9);
			TRACEWRAP_PLOT("plot", i);
		}
		n_changed += errno != 77;
	}
	TRACEWRAP_THREAD_NAME("named");
	n_changed += errno != 77;
	printf("errno changed %d rounding %d flags %d\n", n_changed,
	       fegetround() == FE_UPWARD, fetestexcept(FE_INVALID | FE_DIVBYZERO));
	return 0;
}
