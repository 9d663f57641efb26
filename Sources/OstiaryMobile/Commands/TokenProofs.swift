import Foundation
import OstiaryProtocol

/// Proofs of possession of the key that an AppLogin named for tokens (RFC 9449 §4.2), and what it is exchanged by.
extension Engine {
    /// - Parameters:
    ///   - url: of the request; its query and fragment are left out, as §4.2 has it, and a user's name, which goes in no request line.
    ///   - accessToken: what goes with the request; nil where none does.
    ///   - nonce: what the server last asked to have in a proof; nil for none.
    func tokenProof(
        for id: Session.ID, method: String, url: URL, accessToken: String?, nonce: String?
    ) throws(OstiaryError) -> String {
        guard let session = session(id), session.shown.isAppLogin, session.shown.isLoggedIn, let account = session.account else { throw .wrongOrder }
        guard configuration.bindsTokens, let name = try known().account(account)?.tokenKeyName else { throw .notOffered }
        guard DeviceProof.target(url) != nil else { throw .linkUnreadable }
        let now = now(at: session.rootHash).seconds
        do throws(TokenError) {
            return try DeviceProof(keyNamed: name, in: ports.keys, random: random, now: { now })
                .text(method: method, url: url, accessToken: accessToken, nonce: nonce)
        } catch { throw .keyStore }
    }

    /// What the AppLogin is exchanged for tokens by; nil where nobody is logged in to the app.
    func appLoginGrant() throws(TokenError) -> AppLoginGrant? {
        endAppLoginIfDue()
        guard let session = live.last(where: { $0.shown.isAppLogin && $0.shown.isLoggedIn }), let webNonce = session.shown.webNonce,
            let account = session.account
        else { return nil }
        guard configuration.bindsTokens else { throw .settings(.bindsTokens) }
        guard let name = stored?.account(account)?.tokenKeyName else { throw .storeUnavailable }
        return AppLoginGrant(
            session: session.shown.id, webNonce: webNonce, keyName: name,
            ahead: Int64(clamping: now(at: session.rootHash).seconds) - Int64(clamping: ports.clock.wall))
    }
}

extension Core: AppLoginSource {
    func appLogin() async throws(TokenError) -> AppLoginGrant? { try await engine.appLoginGrant() }
}
