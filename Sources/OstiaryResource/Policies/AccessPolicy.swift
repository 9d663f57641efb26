/// What a route wants of its caller. Policies compose: `.all([.scope("approve:timesheets"), .login(acr: ["mfa", "phr"], maxAge: 300)])`.
public indirect enum AccessPolicy: Sendable {
    /// Whoever was verified.
    case anyCaller
    /// The program was given this scope.
    case scope(String)
    /// The person has this permission.
    case permission(String)
    /// They were verified by this.
    case provedBy(VerifiedCaller.Evidence)
    /// They logged in so strongly, and so lately: a login that isn't is answered by saying what would be (RFC 9470).
    ///
    /// - acr: one of these, the best first; empty for any.
    /// - maxAge: seconds since they last showed themself; nil for any. What tells no `auth_time` is too old, and what tells neither `acr` nor `auth_time` is
    ///   no login, also where any would do.
    case login(acr: [String], maxAge: UInt64?)
    /// A rule of the API's own, with a name for the log.
    case rule(String, @Sendable (VerifiedCaller) -> Bool)
    /// All of them. Of none: anybody who was verified.
    case all([AccessPolicy])
    /// One of them. Of none: nobody.
    case any([AccessPolicy])

    /// One of these scopes is enough.
    public static func anyScope(_ scopes: String...) -> AccessPolicy { .any(scopes.map { .scope($0) }) }

    /// All of these scopes are needed.
    public static func allScopes(_ scopes: String...) -> AccessPolicy { .all(scopes.map { .scope($0) }) }

    /// A login that is at least so strong, where the provider's words have an order; a word that isn't among them is refused to everybody.
    /// - Parameters:
    ///   - acr: the weakest that will do.
    ///   - order: the weakest first; Ostiary's if left out.
    ///   - maxAge: seconds since they last showed themself; nil for any.
    public static func login(atLeast acr: String, of order: [String] = ["sf", "mfa", "phr"], maxAge: UInt64? = nil) -> AccessPolicy {
        guard let index = order.firstIndex(of: acr) else { return .any([]) }
        return .login(acr: Array(order[index...]), maxAge: maxAge)
    }
}
