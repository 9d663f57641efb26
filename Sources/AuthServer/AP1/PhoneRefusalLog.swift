import Authentication
import HTTPService
import Logging
import OstiaryProtocol

/// Writes down what phones were refused, a bounded number of lines for each status: anybody can seal a request.
struct PhoneRefusalLog: Sendable {
    private let limit = LineLimit<Status>(burst: 60)

    /// - Parameter reason: more precise than what the phone is told.
    func refused(_ request: PhoneRequest, _ status: Status, reason: String?, logger: Logger) {
        // An account that waits for its code is asked about again and again, and a server without a service by each app that would have one: that is how it
        // should be.
        guard status != .accountPending, status != .notOffered, let heldBack = limit.admit(status) else { return }
        var facts: [LogKey: String] = [.status: "\(status)", .server: request.server.text]
        facts[.type] = (try? MessageType(of: request.opened.message)).map { "\($0)" }
        facts[.account] = request.namedAccount?.text
        facts[.reason] = reason
        if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
        logger.line(.info, "phone refused", facts)
    }
}

extension PhoneRequest {
    /// The account that a message says it is about. Nothing says that it is true.
    fileprivate var namedAccount: AccountID? {
        let bytes = opened.message
        return switch try? MessageType(of: bytes) {
        case .l1: (try? L1(decoding: bytes))?.accountID
        case .l7: try? L7(decoding: bytes).accountID
        case .w1: try? W1(decoding: bytes).accountID
        case .m1: try? M1(decoding: bytes).accountID
        case .m3: try? M3(decoding: bytes).accountID
        case .l5: try? L5(decoding: bytes).accountID
        case .fetch: try? Fetch(decoding: bytes).accountID
        case .verification: try? Verification(decoding: bytes).accountID
        case .getData: try? GetData(decoding: bytes).accountID
        case .delete: try? Delete(decoding: bytes).accountID
        default: nil
        }
    }
}
