// One call of SQLite that Swift cannot make: sqlite3_db_config takes arguments without a number or types.
#ifndef OSTIARY_CSQLITECLOSE_H
#define OSTIARY_CSQLITECLOSE_H

struct sqlite3;

/// Says whether a connection that is the last to close leaves the log as it is (1), or copies it to the file and removes it (0), as SQLite does by itself.
/// Returns SQLite's result code.
int ostiary_leave_log(struct sqlite3 *connection, int leaves);

#endif
