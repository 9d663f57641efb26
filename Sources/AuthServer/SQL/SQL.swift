// SQL: the rows of the authentication server, by feature.
//
// AuthenticationSchema holds the tables as numbered steps. SQLAuthenticationStore gives a body of the domain its SQLRows, which live as
// long as that body and know what they have read and written (docs/decisions/0011); each SQLRows+….swift is one protocol of rows of
// Authentication. SQLOAuthStore does the same for OAuthProvider, over the same tables and its own (docs/decisions/0021); each SQLOAuthRows+….swift is one
// or two of its protocols. SessionViews answers for logins out of memory, where the database tells of every change (docs/decisions/0061).
// Receipts stand in their columns in one of two forms (ShortReceipt, StoredReceipts), the shorter of which waits for a step (WaitingStep, docs/decisions/0068).
// States stand in SQL by the numbers of their columns only (SessionColumns, StateList). What is not here: rules. Pages and keys keep their statements
// beside their features.
// Start reading at SQLAuthenticationStore.swift, then SQLRows+Sessions.swift with SessionColumns.swift; of the provider at SQLOAuthRows+Grants.swift.
