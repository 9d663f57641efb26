import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider

extension OAuthRoutes {
    /// RFC 7591 §3. Where an operator lets nobody register there is no such address.
    func register(_ call: OAuthCall) async throws -> Response {
        do {
            let registration = RegistrationCall(
                server: call.server, authorization: call.authorization, contentType: call.request.headers.mediaType,
                body: try await call.request.bytes(limit: OAuthCall.bodyLimit), from: call.place)
            return .provider(try await domain.registration.register(registration, at: call.now).json, status: .created)
        } catch RegistrationRefusal.closed {
            throw ErrorResponse.notFound
        } catch let refusal as RegistrationRefusal {
            RequestTrace.current?.note(.reason, "\(refusal)")
            return .provider(refusal.answer)
        }
    }
}
