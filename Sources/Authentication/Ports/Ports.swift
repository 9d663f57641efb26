// Ports: where the authentication server keeps what it knows. The store is one body in one transaction over the rows of every feature, each a
// protocol of its own, so that a function can say which it asks; keys come from a `ServerKeyring`. The way to the second-factor server is in Gateway/.
// Start reading at AuthenticationStore.swift, then SessionRows.swift.
