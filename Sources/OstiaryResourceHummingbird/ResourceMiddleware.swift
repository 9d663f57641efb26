import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OstiaryResource

/// Lets a request through to its route when its caller was verified and meets the policy, and answers it otherwise (RFC 6750, RFC 9449, RFC 9470).
///
/// ```swift
/// let verifier = try ResourceVerifier(issuer: "https://login.example", audience: "https://api.example.com/timesheets", base: "https://api.example.com")
/// let router = Router(context: CallerContext.self)
/// router.group("timesheets").add(middleware: ResourceMiddleware(verifier, .scope("read:timesheets"))).get { _, context in
///     "the timesheets of \(try context.verifiedCaller().subject)"
/// }
/// ```
///
/// Several may stand one behind the other, one before a group and one before some of its routes: the caller has to meet the policies of all. Those with the
/// same verifier verify once, the first of them; one with another verifier, of another audience for example, verifies anew, and the route sees the caller of
/// the last.
public struct ResourceMiddleware<Context: CallerRequestContext>: RouterMiddleware {
    private let verifier: ResourceVerifier
    private let policy: AccessPolicy

    /// - Parameter policy: what the routes behind want; any caller who was verified if left out.
    public init(_ verifier: ResourceVerifier, _ policy: AccessPolicy = .anyCaller) {
        self.verifier = verifier
        self.policy = policy
    }

    public func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        let asked = ResourceRequest(request)
        var context = context
        do throws(ResourceRefusal) {
            let caller = if let known = context.caller, verifier.letIn(known) { known } else { try await verifier.caller(of: asked) }
            try verifier.check(policy, of: caller)
            context.caller = caller
        } catch {
            context.logger.info("request refused", metadata: ["reason": "\(error)"])
            return Response(verifier.answer(to: error, for: asked))
        }
        var response = try await next(request, context)
        if let nonce = verifier.proofNonce(for: asked), response.headers[.dpopNonce] == nil { response.headers[.dpopNonce] = nonce }
        return response
    }
}

extension ResourceRequest {
    /// A request of Hummingbird's.
    public init(_ request: Request) {
        self.init(
            method: request.method.rawValue, target: request.head.path ?? "/",
            fields: request.headers.map { (name: $0.name.rawName, value: $0.value) })
    }
}

extension Response {
    /// The answer to a request that is not let in.
    public init(_ answer: RefusalAnswer) {
        var headers = HTTPFields()
        for field in answer.fields {
            if let name = HTTPField.Name(field.name) { headers.append(HTTPField(name: name, value: field.value)) }
        }
        headers[.contentType] = "application/json"
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension HTTPField.Name {
    /// RFC 9449 §8.1.
    fileprivate static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}
