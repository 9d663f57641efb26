import OstiaryProtocol
import OstiaryTokens

/// The end session endpoint (OpenID Connect RP-Initiated Logout §2). Whom a browser knows, and that its logins end, is the page's to say and do.
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

    /// What a browser wants that is sent to log out.
    /// - Parameter parameters: nil for what can't be read as parameters.
    /// - Returns: nil where its client asks for what it may not have: the person can log out nevertheless, and is sent nowhere.
    /// - Throws: `EndSessionRefusal.hintWrong` for a token that is none of ours.
    package func wish(_ parameters: [Parameter]?, at server: ServerID) async throws -> EndSession? {
        guard let parameters else { return nil }
        do { return try await check(parameters, at: server) } catch let refusal as EndSessionRefusal {
            guard refusal != .hintWrong else { throw refusal }
            return nil
        }
    }
}
