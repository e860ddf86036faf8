/*
 * A JUnit report held against the rules of Jenkins' junit-10.xsd: well-formed, every element where it may be,
 * with the attributes that it must and may have, and with numbers that are those of its testcases.
 */
#ifndef TESTS_RESULTS_XML_H
#define TESTS_RESULTS_XML_H

#include <stddef.h>

struct xml_tally {
    size_t tests, failures, errors; /* as they are, not as they are said to be */
};

/* The test fails where TEXT breaks a rule. */
void xml_check_junit(const char *text, struct xml_tally *tally);

#endif
