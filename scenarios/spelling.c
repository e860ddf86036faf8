/*
 * Distance in the sense of optimal string alignment (Damerau 1964, Levenshtein 1966), row by row.
 */
#include "scenarios/spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Capitals are no slip. */
static bool differ(char a, char b)
{
    return tolower((unsigned char)a) != tolower((unsigned char)b);
}

size_t spelling_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST || b_length > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = above[j - 1] + differ(a[i - 1], b[j - 1]);
            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void spelling_consider(const char *word, const char *candidate, const char **best, size_t *distance)
{
    size_t found = spelling_distance(word, candidate);
    size_t longer = strlen(word) > strlen(candidate) ? strlen(word) : strlen(candidate);
    if (found > (longer < 3 ? 1 : longer / 3) || found >= longer || (*best && found >= *distance))
        return;
    *best = candidate;
    *distance = found;
}
