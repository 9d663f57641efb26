import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol

extension OAuthRoutes {
    /// OpenID Connect RP-Initiated Logout §2, as far as it needs no page: who comes with an ID token of ours is logged out of its session, and the browser
    /// goes where the client wants it. What has to be asked first is told as an error until somebody can be asked.
    func endSession(_ call: OAuthCall) async throws -> Response {
        let ending: EndSession
        do { ending = try await domain.endSession.check(try await call.ofBrowser(), at: call.server) } catch let refusal as EndSessionRefusal {
            RequestTrace.current?.note(.reason, refusal.reason)
            throw ErrorResponse.badRequest(refusal.sentence)
        } catch let refusal as TokenRefusal {
            throw ErrorResponse.badRequest(refusal.description)
        }
        guard !ending.asksFirst else { throw ErrorResponse.badRequest("id_token_hint is missing: nothing shows who is to be logged out") }
        if let session = ending.session { try await sessions.logOut(session, at: call.server, now: call.now) }
        guard let location = ending.location else { return Response.text("You are logged out.") }
        return Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }
}

extension EndSessionRefusal {
    fileprivate var reason: String {
        switch self {
        case .parameterRepeated: "parameterRepeated"
        case .hintWrong, .clientDiffers, .redirectNotRegistered: "\(self)"
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .parameterRepeated(let name): "\(name) came twice"
        case .hintWrong: "id_token_hint is not an ID token of this provider"
        case .clientDiffers: "client_id is not the client of id_token_hint"
        case .redirectNotRegistered: "post_logout_redirect_uri is not registered for this client"
        }
    }
}
