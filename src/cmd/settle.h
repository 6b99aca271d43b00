/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording under a bare LD_PRELOAD ends a few milliseconds after its program when
 * that was killed. Whoever reads the trace right then should get all of it. Main
 * thread.
 */
#ifndef TW_SETTLE_H
#define TW_SETTLE_H

/*
 * Waits, at most a third of a second, while the trace is not finished although all of
 * its processes have ended and its writer is still there. Says nothing of errors.
 */
void tw_settle(const char *trace);

#endif
