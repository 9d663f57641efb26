import OstiaryProtocol

/// Names one page in its requests, in its address and in the name of its cookie, so that pages of one browser are never mistaken for each other.
///
/// It is no secret: it comes from the cookie's hash, shows nothing of the cookie and opens nothing without it. It is derived and not drawn, so a
/// cookie under the name of another page is known as such.
package struct PageID: Hashable, Sendable {
    /// 12 characters of base64url.
    package let text: String

    init(of cookie: PageSecret) { text = Base64URL.encode(Array(SHA(cookie.hash).prefix(Self.count))) }

    /// What a request or the name of a cookie says; nil for what names no page.
    init?(received text: some StringProtocol) {
        guard text.utf8.count == 12, Base64URL.decode(text)?.count == Self.count else { return nil }
        self.text = String(text)
    }

    private static let count = 9
}
