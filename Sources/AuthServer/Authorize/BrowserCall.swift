import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import OAuthProvider
import OstiaryProtocol

/// One request of a browser at the provider of a virtual server.
struct BrowserCall: Sendable {
    let request: Request
    let server: ServerID
    /// Where it comes from, for limits.
    let place: CallPlace
    /// `iss`, below which everything of this provider is.
    let issuer: String
    let now: Instant
    let logger: Logger
    /// What stands in the query, each name once or more; nil for a query that two readers could read differently.
    let query: OAuthProvider.Parameters?

    init(_ request: Request, server: ServerID, from place: CallPlace, issuer: String, now: Instant, logger: Logger) {
        self.request = request
        self.server = server
        self.place = place
        self.issuer = issuer
        self.now = now
        self.logger = logger
        query = request.queryParameters.map { OAuthProvider.Parameters($0) }
    }

    var headers: HTTPFields { request.headers }

    /// An address of this provider.
    func address(_ path: String) -> String { issuer + path }

    /// That of one visit.
    func address(_ path: String, of visit: Visit) -> String { address("\(path)?visit=\(visit.id.text)") }

    /// The language that a client asks for, else that of the browser.
    func language(among wanted: [String] = []) -> PageLanguage {
        wanted.lazy.compactMap { PageLanguage(tag: $0) }.first ?? PageLanguage(of: request)
    }
}

/// Why a visit goes no further. People are told on a page, scripts of our pages by JSON.
enum VisitRefusal: Error, Equatable {
    /// This browser has no such visit, or not any more; or its person came back too late, or with a code that is another's.
    case over
    /// The person was shown something else than is asked now.
    case changed
    /// What a client, or whoever sent the browser here, did wrong: a sentence for its makers, which may hold a name that its sender made, and a word for
    /// the log, which does not.
    case refused(String, reason: String = "refused")
    /// Codes were typed too often that none are; one may be again after so many seconds.
    case tooOften(seconds: UInt64)
    /// There are too many visits that nobody has gone on with.
    case tooMany(TooManyWaiting)

    /// For the line that says what was refused.
    var reason: String {
        switch self {
        case .refused(_, let reason): reason
        case .tooOften: "tooOften"
        case .tooMany(let waiting): waiting.reason
        case .over, .changed: "\(self)"
        }
    }

    /// What the provider says of a visit; nil for what is no refusal of one.
    init?(_ error: any Error) {
        switch error {
        case let refusal as VisitRefusal: self = refusal
        case VisitEnd.over: self = .over
        case VisitEnd.changed: self = .changed
        case VisitEnd.told(let refusal): self = .refused(refusal.description, reason: refusal.reason)
        case EndSessionRefusal.hintWrong: self = .refused("id_token_hint is not an ID token of this provider")
        case let locked as UserCodesLocked: self = .tooOften(seconds: locked.seconds)
        case let many as TooManyWaiting: self = .tooMany(many)
        default: return nil
        }
    }
}

extension VisitRefusal: ErrorResponseConvertible {
    var errorResponse: ErrorResponse {
        switch self {
        case .over: ErrorResponse(.unauthorized, "visit_over", "this is over; start again from the site")
        case .changed: ErrorResponse(.conflict, "changed", "something else is asked by now")
        case .refused(let why, _): ErrorResponse(.badRequest, "bad_request", why)
        case .tooOften(let seconds):
            ErrorResponse(
                .tooManyRequests, "too_often", "too many wrong codes; wait \(seconds) seconds", headers: [.retryAfter: "\(seconds)"])
        case .tooMany(let waiting): waiting.errorResponse
        }
    }
}

extension TooManyWaiting: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        let wait: HTTPFields = [.retryAfter: "\(seconds)"]
        return isOfPlace
            ? ErrorResponse(.tooManyRequests, "too_often", description, headers: wait)
            : ErrorResponse(.serviceUnavailable, "busy", description, headers: wait)
    }
}
