import OstiaryProtocol

/// L1 and L5: what a phone is shown of a session, and what it decides (protocol §6).
package struct LoginService: Sendable {
    let store: any AuthenticationStore
    let keyring: any ServerKeyring
    let events: any SessionEvents
    let secondFactor: SecondFactorClient
    let random: any RandomSource

    package init(
        store: any AuthenticationStore, keyring: any ServerKeyring, events: any SessionEvents, secondFactor: SecondFactorClient,
        random: any RandomSource
    ) {
        self.store = store
        self.keyring = keyring
        self.events = events
        self.secondFactor = secondFactor
        self.random = random
    }

    /// L1 → L2. Claims nothing and writes nothing: anybody may look, and as often as they like.
    package func show(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(L1.self, from: request)
        let keys = try await keyring.keys(of: request.server)
        let prekey = try await secondFactor.prekey(at: request.now)
        let question = LoginQuestion(message: message, request: request, keys: keys, prekey: prekey, serverNonce: random.bytes(32))
        let (reply, session) = try await store.read { rows in try question.show(in: rows) }
        if session.stream != nil { events.publish(.about(session, .scanned)) }
        return reply
    }
}
