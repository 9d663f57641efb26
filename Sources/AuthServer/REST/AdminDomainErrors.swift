import Authentication
import HTTPService
import HTTPTypes
import OstiaryProtocol

// What the REST API says of the refusals of the domain: one switch each.

extension AccountError: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch self {
        case .unknown: AdminRefusal.accountUnknown.errorResponse
        case .userUnknown: ErrorResponse(.notFound, "user_unknown", "this server has no such user")
        case .headless: AdminRefusal.accountHeadless.errorResponse
        case .secondFactorUnavailable:
            ErrorResponse(
                .serviceUnavailable, "second_factor_unavailable",
                "the second-factor server did not answer, and the block may be lifted or not; ask again, which costs nothing",
                headers: [.retryAfter: "30"])
        case .resetRefused:
            ErrorResponse(
                .conflict, "reset_refused",
                "the second-factor server refuses: too many resets of late, a clock that is behind its own, or it does not know this phone")
        }
    }
}

extension LoginLinkError: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch self {
        case .loggedIn: ErrorResponse(.conflict, "already_logged_in", "somebody is logged in on this session; end it first")
        case .claimed: ErrorResponse(.conflict, "being_decided", "a phone is about to decide on this session")
        case .webNonce: ErrorResponse(.conflict, "app_login", "this is the webNonce of an AppLogin; a login needs a nonce of its own")
        case .accountUnknown: AdminRefusal.accountUnknown.errorResponse
        case .accountHeadless: AdminRefusal.accountHeadless.errorResponse
        case .stillCodesRefused:
            ErrorResponse(
                .conflict, "still_codes_refused", "staticQrAge is 0: no phone takes a code that stands still; a login page has one that moves")
        case .otherPage: ErrorResponse(.conflict, "other_page", "another page of this login is open; go on there, or start again from the site")
        case .returning: ErrorResponse(.conflict, "not_over", "the login is confirmed and goes on in its window; start again from the site otherwise")
        }
    }
}

extension FramesNotAllowed: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse { FieldRefusal.bad("framed", "needs frameorigins of the virtual server").errorResponse }
}

extension ReturnCodeWrong: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        ErrorResponse(.forbidden, "return_code_wrong", "nobody is logged in by this code: let the person start again at your site")
    }
}

extension OfflineCodeRefusal: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch self {
        case .notOffered: ErrorResponse(.notFound, "otp_not_offered", "this server takes no offline codes")
        case .notACode(let error): .badRequest(error.words, field: "otp")
        case .noSession: ErrorResponse(.conflict, "otp_not_awaited", "no login of this session waits for a code; begin anew")
        case .notEnough: ErrorResponse(.conflict, "otp_not_enough", "this login asks for more than an offline code proves")
        case .sessionSpent: ErrorResponse(.conflict, "otp_used_up", "this login has had its codes; begin anew")
        case .tooMany(let seconds):
            ErrorResponse(
                .tooManyRequests, "otp_too_often", "too many codes were tried; there is another try in \(seconds) seconds",
                headers: [.retryAfter: "\(seconds)"])
        case .wrong(let left):
            ErrorResponse(
                .forbidden, "otp_wrong", left == 0 ? "that is not the code, and this login takes no other" : "that is not the code", left: left)
        }
    }
}

extension CrockfordError {
    /// What is wrong with a member that is a code.
    fileprivate var words: String {
        switch self {
        case .unexpectedCharacter: "otp has a character that is in no code"
        case .wrongLength: "otp has another number of characters than the codes of this server"
        case .outOfRange: "otp is no code"
        }
    }
}

extension UnknownServer: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse { ErrorResponse(.notFound, "server_unknown", "there is no such virtual server") }
}

extension SessionNonceError: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse { .badRequest("\(self)", field: "X-nonce") }
}

extension ServerUpdateError: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse { .badRequest("\(self)", field: field) }

    private var field: String {
        switch self {
        case .outOfRange(let field, _), .empty(let field), .blank(let field), .badText(let field): field
        case .badLogo: "logo"
        case .badColor(let field), .lowContrast(let field, _, _): field
        case .badOrigin, .tooManyOrigins: "frameorigins"
        case .unknownFlag: "serverFlags"
        }
    }
}

extension LoginTextError: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse { .badRequest("\(self)", field: field) }

    private var field: String {
        switch self {
        case .tooMany(let field), .badKey(let field), .badText(let field), .blankKey(let field, _), .blankText(let field), .badLine(let field),
            .badLogo(let field), .hiddenLogo(let field):
            field
        }
    }
}

extension EnrolmentStartError: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch self {
        case .badName: .badRequest("\(self)", field: "name")
        case .badUserID: .badRequest("\(self)", field: "userid")
        case .confirming: ErrorResponse(.conflict, "being_confirmed", "\(self)")
        case .webNonce: ErrorResponse(.conflict, "app_login", "\(self)")
        case .otherPage: ErrorResponse(.conflict, "other_page", "\(self)")
        case .finished: ErrorResponse(.conflict, "not_over", "\(self)")
        case .siteOnly: PageRefusal.noPage.errorResponse
        case .accountBlocked, .upgradeBlocked: ErrorResponse(.conflict, "account_blocked", "\(self)")
        case .headlessNotOffered: ErrorResponse(.notFound, "headless_not_offered", "\(self)")
        case .accountUnknown: AdminRefusal.accountUnknown.errorResponse
        case .accountIsFull: ErrorResponse(.conflict, "account_full", "\(self)")
        case .accountPending: ErrorResponse(.conflict, "account_pending", "\(self)")
        }
    }
}

extension ConfirmationError: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch self {
        case .nothingToConfirm: ErrorResponse(.notFound, "nothing_to_confirm", "no phone waits for a code on this session")
        case .expired: ErrorResponse(.gone, "enrolment_expired", "the enrolment was not finished in time; start again")
        case .accountBlocked: ErrorResponse(.conflict, "account_blocked", "the account is blocked; nobody is logged in with it")
        case .notACode: .badRequest("code has four letters and digits, as the phone shows them", field: "code")
        }
    }
}
