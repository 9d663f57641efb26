import OstiaryProtocol
import OstiaryTokens

/// The end session endpoint (OpenID Connect RP-Initiated Logout §2). Which session ends, and what the person is asked before, is the page's to do.
package struct EndSessionService: Sendable {
    let context: ProviderContext

    /// What a request to log out comes to. Nothing is written.
    /// - Throws: `EndSessionRefusal`.
    package func check(_ parameters: [Parameter], at server: ServerID) async throws -> EndSession {
        let keys = try await context.keyring.keys(of: server)
        let sent = Parameters(parameters)
        let client = EndSession.client(of: sent, keys: keys)
        let application = try await context.store.read { rows in try client.flatMap { try rows.application($0, of: server) } }
        return try EndSession.check(sent, keys: keys, application: application)
    }
}
