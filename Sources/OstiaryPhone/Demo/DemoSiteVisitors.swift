import Hummingbird

/// Who has which cookie, and which nonce that stands for.
actor Visitors {
    /// A browser with its cookie.
    struct Visitor: Sendable {
        let cookie: String
        let nonce: String
        /// Whether it came without a cookie of ours.
        let isNew: Bool
    }

    private nonisolated let name: String
    private nonisolated let attributes: String
    private var nonces: [String: String] = [:]
    /// By nonce: what was said last while somebody was logged in, and why that is over.
    private var insides: [String: DemoBackend.Status] = [:]
    private var ends: [String: SessionEnd] = [:]
    private var order: [String] = []

    /// - Parameter isSecure: whether the site is reached by https, without which browsers know no `__Host-` cookies.
    init(isSecure: Bool) {
        name = isSecure ? "__Host-hallway" : "hallway"
        // Strict would stay at home when the login page sends the browser back.
        attributes = "HttpOnly; SameSite=Lax; Path=/" + (isSecure ? "; Secure" : "")
    }

    nonisolated func setting(_ cookie: String) -> String { "\(name)=\(cookie); \(attributes)" }

    func nonce(of request: Request) -> String? { cookie(of: request).flatMap { nonces[$0] } }

    /// The browser of a request; one without a cookie is a new one, with a nonce of its own.
    func visitor(of request: Request) -> Visitor {
        guard let cookie = cookie(of: request), let nonce = nonces[cookie] else { return arrive() }
        return Visitor(cookie: cookie, nonce: nonce, isNew: false)
    }

    func arrive() -> Visitor {
        let visitor = Visitor(cookie: ManagementClient.newNonce(), nonce: ManagementClient.newNonce(), isNew: true)
        remember(visitor.cookie, visitor.nonce)
        return visitor
    }

    /// Another cookie for the same browser; the former is void. Nil when it was changed already, by the same address loaded twice.
    func change(_ cookie: String) -> String? {
        guard let nonce = nonces.removeValue(forKey: cookie) else { return nil }
        let new = ManagementClient.newNonce()
        remember(new, nonce)
        return new
    }

    /// Holds what `getSession` says of a nonce beside what it said before.
    /// - Returns: whether somebody has just come in, and why nobody is in any more.
    func hear(_ status: DemoBackend.Status, of nonce: String, at time: UInt64) -> (isNew: Bool, end: SessionEnd?) {
        // Asked before its browser logged out, and answered after.
        guard nonces.values.contains(nonce) else { return (false, nil) }
        let last = insides[nonce]
        if let last, let end = SessionEnd.found(last: last, now: status, at: time) { ends[nonce] = status.loggedin ? nil : end }
        insides[nonce] = status.loggedin ? status : nil
        if status.loggedin { ends[nonce] = nil }
        return (status.loggedin && last?.logintime != status.logintime, ends[nonce])
    }

    /// The browser logs out: its cookie is void, and that the session ends is no news.
    /// - Returns: the nonce that it stood for; nil where it stood for none.
    func leave(_ request: Request) -> String? {
        guard let nonce = cookie(of: request).flatMap({ nonces.removeValue(forKey: $0) }) else { return nil }
        forget(nonce)
        return nonce
    }

    private func forget(_ nonce: String) {
        insides[nonce] = nil
        ends[nonce] = nil
    }

    /// The oldest of a thousand is forgotten.
    private func remember(_ cookie: String, _ nonce: String) {
        nonces[cookie] = nonce
        order.append(cookie)
        guard order.count > 1_000, let forgotten = nonces.removeValue(forKey: order.removeFirst()) else { return }
        // Of a cookie that was changed the nonce lives on under the new one.
        if !nonces.values.contains(forgotten) { forget(forgotten) }
    }

    private nonisolated func cookie(of request: Request) -> String? { request.cookies[name]?.value }
}
