/* SPDX-License-Identifier: BSD-3-Clause */
/* Sixty-four functions that do next to nothing, in a library of their own. */
#ifndef TW_CALLED_H
#define TW_CALLED_H

/* clang-format off */
#define CALLED_8(X, d) \
	X(d##0) X(d##1) X(d##2) X(d##3) X(d##4) X(d##5) X(d##6) X(d##7)
#define CALLED(X) \
	CALLED_8(X, 0) CALLED_8(X, 1) CALLED_8(X, 2) CALLED_8(X, 3) \
	CALLED_8(X, 4) CALLED_8(X, 5) CALLED_8(X, 6) CALLED_8(X, 7)
/* clang-format on */

#define DECLARE(n) __attribute__((visibility("default"))) int called_##n(int x);
CALLED(DECLARE)

#endif
