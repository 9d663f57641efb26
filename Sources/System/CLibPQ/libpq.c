// Each function of libpq that we call, by its own name and handed on to the library once that is open. The compiler holds the types to those of its header.

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

// What is defined here is for this program alone: the library's own calls stay within it.
#pragma GCC visibility push(hidden)
#include "CLibPQ.h"

#ifdef __APPLE__
static const char *const names[] = {"libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const names[] = {"libpq.so.5"};
#endif

#define FUNCTIONS(each) \
    each(PQbackendPID) each(PQclear) each(PQcmdStatus) each(PQconnectPoll) each(PQconnectStartParams) each(PQconsumeInput) \
    each(PQenterPipelineMode) each(PQerrorMessage) each(PQfinish) each(PQflush) each(PQfname) each(PQfreemem) each(PQftype) each(PQgetResult) each(PQgetisnull) \
    each(PQgetlength) each(PQgetvalue) each(PQisBusy) each(PQnfields) each(PQnotifies) each(PQnparams) each(PQntuples) each(PQparamtype) \
    each(PQpipelineSync) each(PQresultErrorField) each(PQresultStatus) each(PQsendDescribePrepared) each(PQsendPrepare) \
    each(PQsendQueryParams) each(PQsendQueryPrepared) each(PQsetNoticeReceiver) each(PQsetnonblocking) each(PQsocket) each(PQstatus) \
    each(PQtransactionStatus)

#define DECLARE(name) __typeof__(name) *name;
static struct { FUNCTIONS(DECLARE) } library;

const char *ostiary_open_libpq(void) {
    void *opened = NULL;
    for (size_t index = 0; opened == NULL && index < sizeof names / sizeof *names; index++) opened = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) return strdup(dlerror());
#define FIND(name) \
    library.name = (__typeof__(library.name))dlsym(opened, #name); \
    if (library.name == NULL) return "it has no " #name;
    FUNCTIONS(FIND)
    return NULL;
}

int PQbackendPID(const PGconn *connection) { return library.PQbackendPID(connection); }
void PQclear(PGresult *result) { library.PQclear(result); }
char *PQcmdStatus(PGresult *result) { return library.PQcmdStatus(result); }
PostgresPollingStatusType PQconnectPoll(PGconn *connection) { return library.PQconnectPoll(connection); }
PGconn *PQconnectStartParams(const char *const *names, const char *const *values, int expands) {
    return library.PQconnectStartParams(names, values, expands);
}
int PQconsumeInput(PGconn *connection) { return library.PQconsumeInput(connection); }
int PQenterPipelineMode(PGconn *connection) { return library.PQenterPipelineMode(connection); }
char *PQerrorMessage(const PGconn *connection) { return library.PQerrorMessage(connection); }
void PQfinish(PGconn *connection) { library.PQfinish(connection); }
int PQflush(PGconn *connection) { return library.PQflush(connection); }
char *PQfname(const PGresult *result, int column) { return library.PQfname(result, column); }
void PQfreemem(void *memory) { library.PQfreemem(memory); }
Oid PQftype(const PGresult *result, int column) { return library.PQftype(result, column); }
PGresult *PQgetResult(PGconn *connection) { return library.PQgetResult(connection); }
int PQgetisnull(const PGresult *result, int row, int column) { return library.PQgetisnull(result, row, column); }
int PQgetlength(const PGresult *result, int row, int column) { return library.PQgetlength(result, row, column); }
char *PQgetvalue(const PGresult *result, int row, int column) { return library.PQgetvalue(result, row, column); }
int PQisBusy(PGconn *connection) { return library.PQisBusy(connection); }
int PQnfields(const PGresult *result) { return library.PQnfields(result); }
PGnotify *PQnotifies(PGconn *connection) { return library.PQnotifies(connection); }
int PQnparams(const PGresult *result) { return library.PQnparams(result); }
int PQntuples(const PGresult *result) { return library.PQntuples(result); }
Oid PQparamtype(const PGresult *result, int parameter) { return library.PQparamtype(result, parameter); }
int PQpipelineSync(PGconn *connection) { return library.PQpipelineSync(connection); }
char *PQresultErrorField(const PGresult *result, int field) { return library.PQresultErrorField(result, field); }
ExecStatusType PQresultStatus(const PGresult *result) { return library.PQresultStatus(result); }
int PQsendDescribePrepared(PGconn *connection, const char *statement) { return library.PQsendDescribePrepared(connection, statement); }
int PQsendPrepare(PGconn *connection, const char *statement, const char *sql, int count, const Oid *types) {
    return library.PQsendPrepare(connection, statement, sql, count, types);
}
int PQsendQueryParams(
    PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths, const int *formats, int format) {
    return library.PQsendQueryParams(connection, sql, count, types, values, lengths, formats, format);
}
int PQsendQueryPrepared(
    PGconn *connection, const char *statement, int count, const char *const *values, const int *lengths, const int *formats, int format) {
    return library.PQsendQueryPrepared(connection, statement, count, values, lengths, formats, format);
}
PQnoticeReceiver PQsetNoticeReceiver(PGconn *connection, PQnoticeReceiver receiver, void *argument) {
    return library.PQsetNoticeReceiver(connection, receiver, argument);
}
int PQsetnonblocking(PGconn *connection, int value) { return library.PQsetnonblocking(connection, value); }
int PQsocket(const PGconn *connection) { return library.PQsocket(connection); }
ConnStatusType PQstatus(const PGconn *connection) { return library.PQstatus(connection); }
PGTransactionStatusType PQtransactionStatus(const PGconn *connection) { return library.PQtransactionStatus(connection); }
