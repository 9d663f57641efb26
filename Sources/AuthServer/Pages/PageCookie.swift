import HTTPTypes

/// The cookies that tie pages to the browser that opened them: one for each page and named by it, unreadable for scripts, gone with the browser. No
/// other site sends that of a page with a window of its own; that of a framed page is sent below the site that frames it, and nowhere else.
struct PageCookie: Sendable {
    /// How many pages a browser keeps; of more, the oldest are given up.
    static let limit = 8

    /// `__Host-` makes browsers refuse the cookie from any other host or without TLS; they know it over https only.
    let prefix: String
    private let isSecure: Bool

    init(isSecure: Bool) {
        self.isSecure = isSecure
        prefix = isSecure ? "__Host-ostiary-" : "ostiary-"
    }

    /// - Parameter isFramed: whether the page is shown in a frame of another site, for which the browser keeps cookies apart (CHIPS).
    func setting(_ secret: PageSecret, isFramed: Bool = false) -> String { field(PageID(of: secret), secret.text, isFramed: isFramed) }

    /// Makes the browser forget a page, whichever way it was shown.
    func forgetting(_ page: PageID) -> [String] { [false, true].map { field(page, "", isFramed: $0) + "; Max-Age=0" } }

    /// The cookie of a page; nil when none came, when it cannot be ours, or when two came, of which one must be foreign.
    func secret(of page: PageID, in headers: HTTPFields) -> PageSecret? {
        let values = cookies(in: headers).filter { $0.page == page }
        return values.count == 1 ? values[0].secret : nil
    }

    /// Every page that the browser has a cookie of, and the cookie where it can be ours.
    func cookies(in headers: HTTPFields) -> [(page: PageID, secret: PageSecret?)] {
        headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let trimmed = pair.drop { $0 == " " }
            guard trimmed.hasPrefix(prefix), let equals = trimmed.firstIndex(of: "=") else { return nil }
            guard let page = PageID(received: trimmed[..<equals].dropFirst(prefix.count)) else { return nil }
            return (page, PageSecret(received: trimmed[equals...].dropFirst().filter { $0 != " " }))
        }
    }

    private func field(_ page: PageID, _ value: String, isFramed: Bool) -> String {
        // `None` needs `Secure`, which browsers take over plain http of this machine, too.
        let reach = isFramed ? "SameSite=None; Secure; Partitioned" : "SameSite=Strict" + (isSecure ? "; Secure" : "")
        return "\(prefix)\(page.text)=\(value); Path=/; HttpOnly; \(reach)"
    }
}
