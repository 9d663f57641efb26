import OstiaryProtocol
import OstiaryTokens

/// A request that waits in a browser while its person logs in and consents. It is kept as one that its client sent ahead, so the code that is given for
/// it spends it, and so does any other answer to its client (docs/decisions/0024).
extension AuthorizeService {
    /// Keeps a request that has passed its checks, if one more may wait. One that was sent ahead is kept already, and was counted then.
    /// - Parameters:
    ///   - parameters: as the browser brought them.
    ///   - place: where the browser is.
    /// - Returns: its name, 43 characters of base64url: for the browser that brought it, and for nobody else.
    /// - Throws: ``TooManyWaiting``.
    package func keep(
        _ parameters: [Parameter], of request: AuthorizationRequest, from place: CallPlace, at now: Instant
    ) async throws -> String {
        let sent = Parameters(parameters)
        if request.pushedHash != nil, let name = sent["request_uri"].flatMap(PushedRequest.name) { return name }
        let name = Base64URL.encode(context.random.bytes(32))
        let kept = PushedRequest(
            hash: SHA(name.utf8), server: request.server, client: request.application.id,
            parameters: PushService.kept(sent, of: request.application).all, expiresAt: now + PushedRequest.life, place: place.name)
        let limit = limit
        // Is it gone, its browser is told that it has to begin again.
        try await context.store.writeSoftly { rows, former -> Void in
            // Kept by the first look.
            if former != nil, try rows.pushedRequest(hash: kept.hash, of: kept.server) != nil { return }
            try rows.checkRoom(for: .visits, of: kept.client, from: place.name, at: kept.server, under: limit, now: now)
            try rows.save(kept)
        }
        return name
    }

    /// A kept request, checked once more: client and API may have changed.
    package func resume(_ name: String, at server: ServerID, now: Instant) async throws -> ResumedRequest {
        let hash = SHA(name.utf8)
        guard let pushed = try await context.store.read({ rows in try rows.pushedRequest(hash: hash, of: server) }) else {
            return ResumedRequest(outcome: .page(.requestURIUnknown), keptAt: now)
        }
        guard now <= pushed.keptAt + PushedRequest.visitLife else { return ResumedRequest(outcome: .page(.requestURIExpired), keptAt: pushed.keptAt) }
        let keys = try await context.keyring.keys(of: server)
        return ResumedRequest(outcome: try await check(Parameters(pushed.parameters), pushed, keys, at: server), keptAt: pushed.keptAt)
    }
}

/// What a kept request comes to now.
package struct ResumedRequest: Sendable {
    package let outcome: AuthorizeOutcome
    /// A login for it is no older.
    package let keptAt: Instant
}
