import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// What an authentication server asks over HTTP. Handlers run on Swift's pool, not on an event loop, so cryptography holds up no connection.
struct SecondFactorRoutes: Sendable {
    let desk: CallDesk
    let identity: IdentityKeeper
    let clock: @Sendable () -> Instant

    func add(to router: some RouterMethods<ServiceRequestContext>) {
        router.get("/sf/identity") { _, _ in
            Response.octets(try await identity.identity(at: clock()).published)
        }
        router.post("/sf/call") { request, _ in
            let bytes = try await request.bytes()
            let now = clock()
            return switch try await desk.answer(bytes, as: identity.identity(at: now), at: now) {
            case .malformed: Response(status: .badRequest)
            case .untrusted: Response(status: .forbidden)
            case .answered(let answer): Response.octets(answer)
            }
        }
    }
}
