import Authentication
import OstiaryProtocol

/// Phones ask the services behind a virtual server: whoever is logged in to an app for a token, a device for data.
struct ServicesBehind: Sendable {
    let tokens: TokenCallService
    let dataCalls: DataCallService
    let gateway: any TokenServiceGateway & DataServiceGateway
    let clock: @Sendable () -> Instant

    init(
        store: any AuthenticationStore, gateway: any TokenServiceGateway & DataServiceGateway, clock: @escaping @Sendable () -> Instant
    ) {
        tokens = TokenCallService(store: store)
        dataCalls = DataCallService(store: store)
        self.gateway = gateway
        self.clock = clock
    }

    func token(_ request: PhoneRequest) async throws -> Reply {
        try await tokens.answer(request, clock: clock) { await gateway.ask($0) }
    }

    func data(_ request: PhoneRequest) async throws -> Reply {
        try await dataCalls.answer(request) { await gateway.ask($0) }
    }
}
