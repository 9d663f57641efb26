import Authentication
import OstiaryProtocol

/// What a page is for.
package enum PageKind: String, Sendable, Codable, CaseIterable {
    case login, enrol
}

/// One page that a business backend opened for one browser. It belongs to the session of the backend's nonce and to nothing else.
package struct Page: Sendable, Equatable {
    package let kind: PageKind
    package let serverID: ServerID
    /// H("nonce", X-nonce); the nonce itself is never stored and never reaches the browser.
    package let nonceHash: [UInt8]
    /// The name that an enrolment shows; of a login whom a client of the provider expects, empty where it expects nobody.
    package let name: String
    /// The user that an enrolment adds an account to.
    package let userID: String?
    /// Where the browser goes afterwards.
    package let returnURL: ReturnURL?
    /// Where a person goes who does not go on; where there is none, to ``returnURL``, without a code.
    package let cancelURL: ReturnURL?
    /// What a login asks. Of an enrolment the headless account alone that it gives a second factor.
    package let request: LoginRequest
    /// Whether the site shows it in a frame, which no other page may be shown in.
    package let isFramed: Bool
    /// What the provider opened it for; nil of a page that a backend opened. Of one such there are a few pages at a time (``SQLPageStore/mostOfVisit``).
    package let visit: [UInt8]?

    package init(
        kind: PageKind, serverID: ServerID, nonceHash: [UInt8], name: String = "", userID: String? = nil, returnURL: ReturnURL? = nil,
        cancelURL: ReturnURL? = nil, request: LoginRequest = LoginRequest(), isFramed: Bool = false, visit: [UInt8]? = nil
    ) {
        self.kind = kind
        self.serverID = serverID
        self.nonceHash = nonceHash
        self.name = name
        self.userID = userID
        self.returnURL = returnURL
        self.cancelURL = cancelURL
        self.request = request
        self.isFramed = isFramed
        self.visit = visit
    }
}

/// How long a page may wait for its browser, and its browser may keep it, in seconds.
package enum PageLifetime {
    package static let ticket: UInt64 = 60
    package static let page: UInt64 = 30 * 60
}

/// A bearer value of a page: the ticket in the link, or the cookie. The store keeps only its hash.
package struct PageSecret: Sendable {
    /// 43 characters of base64url.
    package let text: String

    package init(using random: any RandomSource) { text = Base64URL.encode(random.bytes(Self.count)) }

    /// What a browser sent; nil for anything that we cannot have made.
    package init?(received text: some StringProtocol) {
        guard text.utf8.count <= 64, Base64URL.decode(text)?.count == Self.count else { return nil }
        self.text = String(text)
    }

    package var hash: [UInt8] { SHA(text.utf8) }

    private static let count = 32
}

extension PageSecret: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
