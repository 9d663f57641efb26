// OstiaryResourceHummingbird puts OstiaryResource in front of the routes of a Hummingbird server: `ResourceMiddleware` verifies who calls and whether they
// may, and the context tells the route who it is. It decides nothing by itself.
//
// A target of its own, so that an API with another framework builds no Hummingbird for the sake of the verifier.
//
// Start reading at ResourceMiddleware.swift.
