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
        let login = try await logins(of: call).newest(at: call.now)?.facts
        guard let begun = try await oauth.visits.begin(typing: body.code, from: call.place, by: login, at: call.server, now: call.now) else {
            return .object { $0.member("outcome", "wrong") }
        }
        let onward = try await show(begun, call)
        var response = Response.object { $0.member("location", onward.headers[.location]) }
        response.headers[values: .setCookie] = onward.headers[values: .setCookie]
        return response
    }
}

private struct DeviceBody: JSONFields {
    enum Field: String, CodingKey, CaseIterable { case code }

    let code: String
}
