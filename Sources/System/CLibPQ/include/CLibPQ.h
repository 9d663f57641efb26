// What we call of libpq, the client library of PostgreSQL, which is not linked: it is opened when a database of PostgreSQL is. On Debian it comes with OpenSSL,
// Kerberos, LDAP and GnuTLS, two dozen libraries, and a server on SQLite has none of them in its process (docs/decisions/0064).
#ifndef OSTIARY_CLIBPQ_H
#define OSTIARY_CLIBPQ_H

// Debian's folder, that of Homebrew, or wherever the compiler is told to look.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#elif __has_include("/opt/homebrew/opt/libpq/include/libpq-fe.h")
#include "/opt/homebrew/opt/libpq/include/libpq-fe.h"
#else
#include <libpq-fe.h>
#endif

/// Opens the library, to be called once and before any of its functions: each of them is undefined until this has returned NULL.
/// Returns why it could not, in words of the loader that live as long as the process.
const char *ostiary_open_libpq(void);

#endif
