import HTTPService
import HTTPTypes

/// Why a call of the page changes nothing.
enum PhonePageRefusal: Error, Equatable, Sendable {
    /// It answers a question that is not, or no longer, the one that is asked.
    case otherQuestion
    /// No PIN is looked at before a penalty is over.
    case tooEarly
    /// The phone has no such thing.
    case unknown(String)
    /// What came was not sealed by the page for this call, or has come before.
    case notSealed
    /// What was scanned holds no code for this phone; the sentence is for the person.
    case noCode(String)
}

extension PhonePageRefusal: ErrorResponseConvertible {
    var errorResponse: ErrorResponse {
        switch self {
        case .otherQuestion: ErrorResponse(.conflict, "other_question", "the phone asks something else by now")
        case .tooEarly: ErrorResponse(.conflict, "too_early", "no PIN is looked at before the wait is over")
        case .unknown(let name): ErrorResponse(.notFound, "not_found", "this phone has no such \(name)")
        case .notSealed: ErrorResponse(.badRequest, "not_sealed", "what the page sends is sealed, and counts once")
        case .noCode(let reason): ErrorResponse(.unprocessableContent, "no_code", reason)
        }
    }
}

extension ErrorResponse {
    /// What whoever is not the page is told.
    init(_ refusal: LocalPageRefusal) {
        switch refusal {
        case .otherHost: self = ErrorResponse(.misdirectedRequest, "other_host", "the phone page has one address, and this is another")
        case .otherOrigin: self = ErrorResponse(.forbidden, "other_origin", "only the phone page itself may do this")
        case .noSecret: self = .unauthorized
        }
    }
}
