/*
 * The tables and how they came about. A schema is a list of migrations: PRAGMA user_version counts those a
 * database has been through, PRAGMA application_id tells our databases from other programs'. A migration
 * that was released is never changed; what is new is a further one.
 */
#ifndef RESULTS_SCHEMA_H
#define RESULTS_SCHEMA_H

#include "results/database.h"

struct schema {
    int32_t application_id;
    int version;                   /* migrations there are */
    const char *const *migrations; /* SQL that leads from version i to i + 1 */
};

extern const struct schema results_schema;

/* True if the database is empty or one of SCHEMA, of any version up to its newest; *VERSION says which (0:
 * empty). False with ERROR_SYSTEM if it is another program's, of a newer version, or no database at all.
 * Only reads. */
bool schema_recognise(const struct database *database, const struct schema *schema, int *version,
                      struct error *error);

/* Brings a database that schema_recognise accepts up to the newest version, in one transaction: all of it or
 * nothing. Two processes may call it at once. */
bool schema_upgrade(const struct database *database, const struct schema *schema, struct error *error);

#endif
