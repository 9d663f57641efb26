import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol
import SecondFactor

/// What an authentication server asks over HTTP. Handlers run on Swift's pool, not on an event loop, so cryptography holds up no connection.
struct SecondFactorRoutes: Sendable {
    let domain: SecondFactorService
    let identity: IdentityKeeper
    let log: CallLog
    let clock: @Sendable () -> Instant

    func add(to router: some RouterMethods<ServiceRequestContext>) {
        router.get("/sf/identity") { _, _ in
            Response.octets(try await identity.identity(at: clock()).published)
        }
        router.post("/sf/call") { request, _ in
            let bytes = try await request.bytes()
            let now = clock()
            switch try await domain.answer(bytes, with: identity.identity(at: now), at: now) {
            case .malformed: return Response(status: .badRequest)
            case .untrusted(let root, let stranger):
                log.write(stranger, root: root)
                return Response(status: .forbidden)
            case .answered(let answer, let record):
                if let record { log.write(record) }
                return Response.octets(answer)
            }
        }
    }
}
