import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol

/// The page on which a person types what a device shows (RFC 8628 §3.3).
extension AuthorizeRoutes {
    /// POST /device/code: where the browser goes on with a code that somebody waits with.
    func typeCode(_ call: BrowserCall) async throws -> Response {
        try pages.checkPost(call.headers)
        let body = try JSONBody.decode(DeviceBody.self, from: try await call.request.bytes(limit: Self.bodyLimit))
        let waiting: PolledAuthorization
        do {
            let found = try await oauth.devices.waiting(forTyped: body.code, from: call.place, at: call.server, now: call.now)
            guard let found else { return .object { $0.member("outcome", "wrong") } }
            waiting = found
        } catch let locked as UserCodesLocked {
            throw VisitRefusal.tooOften(seconds: locked.seconds)
        }
        let visit = Visit(secret: PageSecret(using: random), subject: .device(waiting.hash), begunAt: call.now)
        let isLoggedIn = try await logins(of: call).newest(at: call.now) != nil
        // Also of whoever is logged in it is asked: the device may be that of somebody else, who sent them here.
        let onward = try await isLoggedIn ? ask(visit, call, in: call.language()) : openLogin(visit, forDevice: waiting.hash, call)
        var response = Response.object { $0.member("location", onward.headers[.location]) }
        response.headers[values: .setCookie] = onward.headers[values: .setCookie]
        return response
    }

    func openLogin(_ visit: Visit, forDevice hash: [UInt8], _ call: BrowserCall) async throws -> Response {
        guard let waiting = try await oauth.approval.question(hash, at: call.server, now: call.now) else { throw VisitRefusal.over }
        let shown = ShownRequest(
            waiting.application, waiting.authorization.scopes, waiting.api, demand: .policy, in: call.language(), headers: call.headers)
        return try await openLogin(visit, shown, call)
    }
}

private struct DeviceBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case code }

    let code: String
}
