import HTTPService
import HTTPTypes
import Hummingbird

/// Decides who may speak to a page on loopback, that of the phones or of the demonstration: the page itself, and nobody else on this machine or in
/// this browser.
///
/// A name of some website that is pointed at 127.0.0.1 fails by its `Host` (DNS rebinding), another site by its `Origin`, and whoever does not have the
/// address, another user of the machine for example, by the secret. That stands in the fragment of the address, which browsers send to nobody, and comes
/// in a header, which no form and no link can set.
struct LocalPageGuard<Context: RequestContext>: RouterMiddleware {
    private let authority: String
    private let origin: String
    private let header: HTTPField.Name
    private let secret: SecretText
    private let open: Set<String>
    private let refuse: @Sendable (LocalPageRefusal) throws -> Response

    /// - Parameters:
    ///   - authority: host and port that the page has in its address; no other name of the same machine counts.
    ///   - header: what the page's scripts send the secret in.
    ///   - open: paths that are no secret and tell nothing of what the page shows, to be read by whoever knows the address without its fragment. A path
    ///     that is spelled otherwise is another one.
    ///   - refuse: what is answered in the place of what was asked.
    init(
        authority: String, header: HTTPField.Name, secret: SecretText, open: Set<String>,
        refuse: @escaping @Sendable (LocalPageRefusal) throws -> Response
    ) {
        self.authority = authority
        origin = "http://\(authority)"
        self.header = header
        self.secret = secret
        self.open = open
        self.refuse = refuse
    }

    /// Host and port of an address of this machine as browsers write them: without the port that http has by itself (RFC 9110 §4.2.3).
    static func authority(host: String = "127.0.0.1", port: Int?) -> String { port.map { $0 == 80 ? host : "\(host):\($0)" } ?? host }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        if let refusal = refusal(of: request.head) { return try refuse(refusal) }
        return try await next(request, context)
    }

    /// Nil for what may pass.
    func refusal(of head: HTTPRequest) -> LocalPageRefusal? {
        guard head.authority == authority else { return .otherHost }
        let origins = head.headerFields[values: .origin]
        let isReading = head.method == .get || head.method == .head
        // A browser says where a call comes from unless it only reads within one site.
        guard origins.allSatisfy({ $0 == origin }), isReading || !origins.isEmpty else { return .otherOrigin }
        let path = head.path.map { String($0.prefix { $0 != "?" }) } ?? ""
        if isReading, open.contains(path) { return nil }
        let secrets = head.headerFields[values: header]
        guard let told = secrets.first, secrets.count == 1, secret.matches(told) else { return .noSecret }
        return nil
    }
}

/// Why a page on loopback answers nothing.
enum LocalPageRefusal: Error, Equatable, Sendable {
    /// The page has one address, and this is another.
    case otherHost
    /// Only the page itself may do this.
    case otherOrigin
    /// The secret of the page's address is missing, wrong, or there more than once.
    case noSecret
}
