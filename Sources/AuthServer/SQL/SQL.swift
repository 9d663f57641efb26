// SQL: the rows of the authentication server, by feature.
//
// AuthenticationSchema holds the tables as numbered steps. SQLAuthenticationStore gives a body of the domain its SQLRows, which live as
// long as that body and know what they have read and written (docs/decisions/0011); each SQLRows+….swift is one protocol of rows of
// Authentication. States stand in SQL by the numbers of their columns only (SessionColumns, StateList). What is not here: rules. Pages and
// keys keep their statements beside their features.
// Start reading at SQLAuthenticationStore.swift, then SQLRows+Sessions.swift with SessionColumns.swift.
