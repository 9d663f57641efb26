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

    /// The oldest of a thousand is forgotten.
    private func remember(_ cookie: String, _ nonce: String) {
        nonces[cookie] = nonce
        order.append(cookie)
        if order.count > 1_000 { nonces[order.removeFirst()] = nil }
    }

    private nonisolated func cookie(of request: Request) -> String? { request.cookies[name]?.value }
}
