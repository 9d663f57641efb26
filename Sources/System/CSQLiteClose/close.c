#include "CSQLiteClose.h"

#include <sqlite3.h>

int ostiary_leave_log(struct sqlite3 *connection, int leaves) {
    int found = -1;
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leaves, &found);
    return code == SQLITE_OK && found != leaves ? SQLITE_ERROR : code;
}
