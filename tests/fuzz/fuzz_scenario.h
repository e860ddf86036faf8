/*
 * What a fuzzer calls with each input; also what replays the corpus.
 */
#ifndef TESTS_FUZZ_FUZZ_SCENARIO_H
#define TESTS_FUZZ_FUZZ_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* 0; aborts when something is wrong */

#endif
