import Authentication
import OstiaryProtocol

/// Whoever is logged in to an app asks for a token of the service behind.
struct ServiceTokens: Sendable {
    let calls: TokenCallService
    let gateway: any TokenServiceGateway
    let clock: @Sendable () -> Instant

    func answer(_ request: PhoneRequest) async throws -> Reply {
        try await calls.answer(request, clock: clock) { await gateway.ask($0) }
    }
}
