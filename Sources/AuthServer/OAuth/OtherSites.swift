import HTTPTypes
import Hummingbird

/// What programs in browsers may do from other sites (Fetch §3.2). They bring what shows who they are in the request itself, so every site may ask, and a
/// browser sends no cookie along and hands none on.
enum OtherSites {
    /// Seconds for which a browser need not ask again whether it may.
    static let life = 3_600

    /// What every answer has, an error too.
    static let fields: HTTPFields = [
        .accessControlAllowOrigin: "*", .accessControlExposeHeaders: "DPoP-Nonce, WWW-Authenticate", .crossOriginResourcePolicy: "cross-origin",
    ]

    /// - Parameter response: says nothing of this yet.
    static func allow(_ response: inout Response) { response.headers.append(contentsOf: fields) }

    /// The answer to the browser that asks before it calls, and to anybody else who asks what an address takes.
    static func preflight(for methods: [HTTPRequest.Method]) -> Response {
        let names = methods.map(\.rawValue)
        let all = Set(names + ["OPTIONS"] + (methods.contains(.get) ? ["HEAD"] : []))
        var response = Response(
            status: .noContent,
            headers: [
                .allow: all.sorted().joined(separator: ", "), .accessControlAllowMethods: names.joined(separator: ", "),
                .accessControlAllowHeaders: "Authorization, Content-Type, DPoP", .accessControlMaxAge: "\(life)",
            ])
        allow(&response)
        return response
    }
}
