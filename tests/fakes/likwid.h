/* What the fake LIKWID has beside LIKWID's own names. In C, for programs. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* So many units of work run now on the GPU with this place in LIKWID's list. */
void fake_likwid_work(int gpu, double units) __attribute__((weak));

/* So many units of another thread fall behind the next start of the counters. */
void fake_likwid_stray(double units) __attribute__((weak));

/* The CUDA ordinal whose context was current when the list's first GPU was set up; -1: none. */
int fake_likwid_first_device(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif
