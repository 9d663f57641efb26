import OstiaryTokens

/// The name of a claim that an operator chose (RFC 7519 §4.2): an absolute URI, which no claim of a standard is, and no two makers choose by chance.
package struct ClaimName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Nil for anything but 3 to 255 bytes of visible ASCII with a scheme.
    package init?(_ text: String) {
        guard (3...255).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let colon = text.firstIndex(of: ":"),
            URIScheme.isOne(text[..<colon]), text.index(after: colon) < text.endIndex
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// What a claim may say of the person of an access token, whatever it is called.
package enum ClaimSource: String, CaseIterable, Sendable {
    case name, picture, email
    /// Of the address; nothing where there is none.
    case emailVerified = "email_verified"
    /// The id of the account, which is one phone's. `sub` is the same on all of somebody's.
    case account
    /// The names of the roles that they have.
    case roles
    /// What these permit at the API, whatever the client asked for.
    case permissions

    /// What of the profile it is; nil for anything else.
    package var claim: PersonClaim? { PersonClaim(rawValue: rawValue) }
}
