import Foundation
import OstiaryResource

// The Swift of docs/protect-an-api.md that stands behind its first page; scripts/snippets holds the guide to it. This file sees what a developer sees: the
// public interface.

/// One request, without a framework.
func serve(
    _ authorization: String, behind verifier: ResourceVerifier, show: (String) -> Void, refuse: (RefusalAnswer) -> Void
) async {
    // snippet.begin withoutFramework
    let request = ResourceRequest(method: "GET", target: "/timesheets?week=34", fields: [("Authorization", authorization)])
    do {
        let caller = try await verifier.caller(of: request)
        try verifier.check(.scope("read:timesheets"), of: caller)
        show(caller.subject)
    } catch {
        refuse(verifier.answer(to: error, for: request))  // status, fields, body
    }
    // snippet.end
}

// snippet.begin policies
let policies: [AccessPolicy] = [
    .scope("read:timesheets"),  // the program was given it
    .allScopes("read:timesheets", "create:timesheets"),
    .permission("approve"),  // the person has it
    .any([.scope("read:timesheets"), .provedBy(.webNonce)]),
    .all([.scope("approve:timesheets"), .login(atLeast: "mfa", maxAge: 300)]),
    .rule("staff") { $0.claims["staff"]?.bool == true },
]
// snippet.end

/// An API that takes all three.
func everything(secret: String, serverID: String, key: String) throws -> (ResourceSettings, ResourceVerifier) {
    // snippet.begin settings
    var settings = ResourceSettings(
        base: "https://api.example.com", provider: ProviderSettings(issuer: "https://login.example", audience: "https://api.example.com/timesheets"))
    // Opaque tokens, and JWTs once a minute.
    settings.provider?.introspection = IntrospectionSettings(clientID: "timesheets-api", clientSecret: secret)
    settings.provider?.jwt?.recheckedEvery = 60
    // And webNonces.
    settings.webNonce = WebNonceSettings(restAddress: "http://127.0.0.1:8081", server: serverID, apiKey: key)
    let verifier = try ResourceVerifier(settings)
    // snippet.end
    return (settings, verifier)
}

/// By a key in the place of a secret: `openssl genpkey -algorithm ed25519` writes one.
func introspection(keyFile: String) throws -> IntrospectionSettings {
    // snippet.begin clientKey
    let key = try ClientKey(pem: String(contentsOfFile: keyFile, encoding: .utf8))  // openssl genpkey -algorithm ed25519
    let introspection = IntrospectionSettings(clientID: "timesheets-api", key: key)
    // snippet.end
    return introspection
}

/// Of a provider without RFC 9068.
func plain(_ settings: inout ResourceSettings) {
    // snippet.begin plain
    settings.provider?.jwt?.profile = .plain
    settings.provider?.jwt?.algorithms = [.rs256]
    settings.provider?.permissionsClaim = "roles"
    // snippet.end
}
