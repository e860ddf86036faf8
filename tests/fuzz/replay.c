/*
 * The fuzz target as a plain program: it takes the files named, or the corpus, and says "ok" of each in TAP.
 * A file that breaks the loader ends the program, which fails the test.
 */
#include "tests/fuzz/fuzz_scenario.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 32 << 20 };

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(LARGEST);
    size_t size = file && bytes ? fread(bytes, 1, LARGEST, file) : 0;
    int good = file && bytes && !ferror(file);
    if (good)
        LLVMFuzzerTestOneInput(bytes, size);
    if (file)
        fclose(file);
    free(bytes);
    return good;
}

static int replay_all(char *const *paths, size_t count)
{
    int failed = 0;
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        int good = replay(paths[i]);
        failed += !good;
        printf("%s %zu - %s\n", good ? "ok" : "not ok", i + 1, paths[i]);
        fflush(stdout);
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return replay_all(argv + 1, (size_t)argc - 1);
    const char *root = getenv("top_srcdir");
    char pattern[4096];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/tests/fuzz/corpus/*", root ? root : ".");
    if (glob(pattern, 0, NULL, &found) != 0) {
        printf("1..1\nnot ok 1 - no corpus at %s\n", pattern);
        return EXIT_FAILURE;
    }
    int status = replay_all(found.gl_pathv, found.gl_pathc);
    globfree(&found);
    return status;
}
