// OAuth: the endpoints of the provider on the public listener (docs/oauth.md). OAuthRoutes is the table: which handler stands at which address, for
// which methods, and whether programs in browsers of other sites may call it. ProviderAddresses says where the provider of each virtual server is.
// OAuthCall is a request as the handlers get it: the form, read strictly, and the fields that domain wants whole. OAuthAnswers is what they answer, and
// the one place where a refusal becomes status, JSON and header fields. ProviderDocuments keeps what is the same for everybody as bytes.
// HTTPBackends is the other way round: what we call, which is what the backends of clients are told.
// What is not here: rules. A handler decodes, asks the domain once and encodes.
// Start reading at OAuthRoutes.swift, then OAuthRoutes+Clients.swift.
