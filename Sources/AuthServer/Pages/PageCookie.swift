import HTTPTypes

/// The cookie that ties a page to the browser that opened it: unreadable for scripts, never sent by another site, gone with the browser.
struct PageCookie: Sendable {
    /// `__Host-` makes browsers refuse the cookie from any other host or without TLS; they know it over https only.
    let name: String
    private let isSecure: Bool

    init(isSecure: Bool) {
        self.isSecure = isSecure
        name = isSecure ? "__Host-ostiary" : "ostiary"
    }

    func setting(_ secret: PageSecret) -> String {
        "\(name)=\(secret.text); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// The value that came; nil when none came, when it cannot be ours, or when two came, of which one must be foreign.
    func secret(in headers: HTTPFields) -> PageSecret? {
        let values = headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair -> Substring? in
            let trimmed = pair.drop { $0 == " " }
            guard trimmed.hasPrefix("\(name)=") else { return nil }
            return trimmed.dropFirst(name.count + 1)
        }
        guard values.count == 1 else { return nil }
        return PageSecret(received: values[0].filter { $0 != " " })
    }
}
