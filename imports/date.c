/*
 * The C library counts the days; what it would carry over (a 31st of June) is refused.
 */
#include "imports/date.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

bool date_parse(const char *text, int64_t *seconds)
{
    struct tm given = {0};
    const char *end = strptime(text, "%Y-%m-%d", &given);
    if (!end || (*end != ' ' && *end != 'T'))
        return false;
    end = strptime(end + 1, "%H:%M", &given);
    if (end && *end == ':')
        end = strptime(end + 1, "%S", &given);
    if (!end || *end)
        return false;
    struct tm counted = given;
    *seconds = timegm(&counted);
    return counted.tm_mday == given.tm_mday && counted.tm_sec == given.tm_sec;
}

char *date_print(int64_t seconds, char text[DATE_BYTES])
{
    time_t clock = seconds;
    struct tm parts;
    if (!gmtime_r(&clock, &parts) || !strftime(text, DATE_BYTES, "%Y-%m-%d %H:%M:%S", &parts))
        snprintf(text, DATE_BYTES, "%lld s from 1970", (long long)seconds);
    return text;
}
