import Authentication
import OAuthProvider
import OstiaryProtocol

/// What a browser came for: it is sent to log in, maybe asked something, and sent back. All of it stands in a cookie of the browser.
struct Visit: Sendable {
    /// Names its login, and marks what its person was shown.
    let secret: PageSecret
    let subject: VisitSubject
    /// When it began, as the browser says: of too many the oldest is given up, and nothing else follows from it.
    let begunAt: Instant

    var id: PageID { PageID(of: secret) }
    var nonce: SessionNonce { SessionNonce(naming: secret) }
    var consentKey: ConsentKey { ConsentKey(secret.text) }
}

extension SessionNonce {
    /// The nonce of the login that a secret of a browser stands for. The secret never leaves its cookie, and no nonce of a backend has its form by
    /// chance.
    init(naming secret: PageSecret) { self.init(hash: Transcript.nonce("provider.\(secret.text)")) }
}

/// The value of the cookie: secret, what it is about, and when it began, with points between.
extension Visit {
    private static let (requestMark, deviceMark): (Character, Character) = ("r", "d")

    var text: String {
        let subject =
            switch subject {
            case .request(let name): "\(Self.requestMark)\(name)"
            case .device(let hash): "\(Self.deviceMark)\(Base64URL.encode(hash))"
            }
        return "\(secret.text).\(subject).\(begunAt.seconds)"
    }

    /// Nil for what is no cookie of ours.
    init?(received text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let secret = PageSecret(received: parts[0]), let mark = parts[1].first, let begun = UInt64(parts[2]) else {
            return nil
        }
        let value = String(parts[1].dropFirst())
        guard value.utf8.count <= 64, let bytes = Base64URL.decode(value), bytes.count == 32 else { return nil }
        switch mark {
        case Self.requestMark: self.init(secret: secret, subject: .request(value), begunAt: Instant(begun))
        case Self.deviceMark: self.init(secret: secret, subject: .device(bytes), begunAt: Instant(begun))
        default: return nil
        }
    }
}

extension Visit: CustomStringConvertible, CustomReflectable {
    var description: String { "‹secret›" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
