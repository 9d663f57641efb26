import Foundation
import Hummingbird
import OstiaryResource
import OstiaryResourceHummingbird

/// The token service: it calls `getSession` of the authentication server, and nothing else of anybody.
func serveTokens(_ variables: Variables) async throws {
    let port = try variables.number("PORT", or: 8_443)
    let settings = try ServiceSettings(variables, port: port)
    let verifier = try ResourceVerifier(ResourceSettings(base: settings.issuer, webNonce: settings.webNonce))
    try await serveOverTLS(tokenRoutes(settings, asking: verifier), port: port, variables)
}

/// The four addresses of the metadata. The clock is read here and nowhere below.
func tokenRoutes(_ settings: ServiceSettings, asking verifier: ResourceVerifier) -> Router<CallerContext> {
    let given = GivenTokens(mostOfOne: settings.tokensEach)
    let now: @Sendable () -> Int = { Int(Date().timeIntervalSince1970) }
    let router = Router(context: CallerContext.self)

    // A website's backend has nonces, too, by which getSession tells who is logged in there: they open nothing here.
    let appLogin = AccessPolicy.rule("AppLogin") { $0.claims["binding"]?.string == "app" }
    let tokens = TokenEndpoint(settings: settings, given: given)
    router.group("token").add(middleware: ResourceMiddleware(verifier, appLogin)).post { request, context in
        try await tokens.answer(request, context, at: now())
    }

    let introspection = IntrospectionEndpoint(settings: settings, given: given, verifier: verifier)
    router.post("introspect") { request, context in try await introspection.answer(request, context, at: now()) }

    let (metadata, keys) = (ServiceMetadata(settings), KeySet(keys: settings.keys.map(\.publicKey)))
    router.get(".well-known/oauth-authorization-server") { _, _ in metadata }
    router.get("keys") { _, _ in keys }
    return router
}
