/*
 * The grammar is checked here and the C library converts: strtod rounds correctly, and the shortest text is
 * the first precision of printf that strtod takes back to the same bits.
 */
#include "scenarios/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

size_t number_length(const char *text)
{
    size_t sign = *text == '+' || *text == '-';
    size_t whole = count_digits(text + sign), length = sign + whole, fraction = 0;
    if (text[length] == '.') {
        fraction = count_digits(text + length + 1);
        length += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        size_t exponent = length + 1;
        exponent += text[exponent] == '+' || text[exponent] == '-';
        size_t count = count_digits(text + exponent);
        if (count)
            length = exponent + count;
    }
    return length;
}

bool number_parse(const char *text, double *value)
{
    size_t length = number_length(text);
    if (!length || text[length])
        return false;
    *value = strtod(text, NULL);
    return isfinite(*value);
}

bool number_parse_integer(const char *text, int64_t *value)
{
    double real;
    if (!number_parse(text, &real))
        return false;
    if (!strpbrk(text, ".eE")) {
        errno = 0;
        *value = strtoll(text, NULL, 10);
        return errno == 0;
    }
    const double limit = 0x1p63;
    if (real != floor(real) || real < -limit || real >= limit)
        return false;
    *value = (int64_t)real;
    return true;
}

double number_round(double value, size_t digits)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "%.*e", digits < 17 ? (int)digits - 1 : 16, value);
    return strtod(text, NULL);
}

bool number_is_short(double value, size_t digits)
{
    return number_round(value, digits) == value;
}

/* DIGIT × 10^EXPONENT without an exponent, or "" where that is longer than worth writing. */
static void print_plain(char *text, const char *digit, int count, int exponent)
{
    int point = count + exponent; /* digits before the point */
    *text = '\0';
    if (point > 20 || point < -6)
        return;
    if (point <= 0) {
        *text++ = '0';
        *text++ = '.';
    }
    for (int i = point < 0 ? point : 0; i < count || i < point; i++) {
        if (i > 0 && i == point)
            *text++ = '.';
        *text++ = i >= 0 && i < count ? digit[i] : '0';
    }
    *text = '\0';
}

static void print_with_exponent(char *text, const char *digit, int count, int exponent)
{
    if (count == 1)
        snprintf(text, NUMBER_BYTES - 1, "%se%d", digit, exponent);
    else
        snprintf(text, NUMBER_BYTES - 1, "%c.%se%d", *digit, digit + 1, exponent + count - 1);
}

/* The digits of VALUE > 0 without zeros at the end, and the power of ten behind them. */
static int shortest_digits(double value, char digit[20], int *exponent)
{
    char text[32];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value)
            break;
    }
    int count = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p != '.')
            digit[count++] = *p;
    while (count > 1 && digit[count - 1] == '0')
        count--;
    digit[count] = '\0';
    *exponent = atoi(p + 1) - count + 1;
    return count;
}

char *number_print(char text[NUMBER_BYTES], double value)
{
    char digit[20], plain[NUMBER_BYTES], scientific[NUMBER_BYTES];
    int exponent = 0;
    if (value == 0) {
        memcpy(text, "0", 2);
        return text;
    }
    if (!isfinite(value)) {
        snprintf(text, NUMBER_BYTES, "%g", value);
        return text;
    }
    int count = shortest_digits(fabs(value), digit, &exponent);
    print_plain(plain, digit, count, exponent);
    print_with_exponent(scientific, digit, count, exponent);
    bool use_plain = *plain && strlen(plain) <= strlen(scientific);
    snprintf(text, NUMBER_BYTES, "%s%.38s", value < 0 ? "-" : "", use_plain ? plain : scientific);
    return text;
}
