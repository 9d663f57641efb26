import OstiaryProtocol
import OstiaryTokens

/// Why a role may not be written as it is.
package enum RoleRefusal: Error, Equatable, Sendable {
    case nameWrong
    case apiUnknown(APIIdentifier)
    case scopeUnknown(APIIdentifier, Scope)
}

/// Why a user may not be written as they are.
package enum UserRefusal: Error, Equatable, Sendable {
    case idWrong, nameWrong, pictureWrong, emailWrong
    /// `email_verified` of no address.
    case verifiedWithoutEmail
    case tooManyRoles
    case roleUnknown(String)
}

/// What an operator may write of a role, beyond that its APIs and scopes are there.
package enum RoleRules {
    package static func check(_ role: Role) throws(RoleRefusal) {
        guard PlainLine.allowsName(role.name, cap: ApplicationRules.longestName), !PathPart.isDots(role.name) else { throw .nameWrong }
    }
}

/// What an operator may write of a user, beyond that their roles are there. Tokens carry it to clients, which show it.
package enum UserRules {
    static let longestName = 255
    static let longestPicture = 2_000
    /// RFC 5321 §4.5.3.1.3, without the brackets.
    static let longestEmail = 254
    static let mostRoles = 64

    package static func check(_ user: ProviderUser) throws(UserRefusal) {
        guard PlainLine.allowsName(user.userID, cap: longestName), !PathPart.isDots(user.userID) else { throw .idWrong }
        if let name = user.profile.name {
            guard PlainLine.allowsName(name, cap: longestName) else { throw .nameWrong }
        }
        if let picture = user.profile.picture {
            guard isPicture(picture) else { throw .pictureWrong }
        }
        if let email = user.profile.email {
            guard isEmail(email) else { throw .emailWrong }
        } else {
            guard !user.profile.isEmailVerified else { throw .verifiedWithoutEmail }
        }
        guard user.roles.count <= mostRoles else { throw .tooManyRoles }
    }

    /// An address on the web that every browser may fetch.
    private static func isPicture(_ text: String) -> Bool {
        text.utf8.count <= longestPicture && (try? RedirectURI(registering: text, ofApp: false))?.kind == .https
    }

    /// Something on each side of one at sign, and nothing that could be a second address or a header of a mail.
    private static func isEmail(_ text: String) -> Bool {
        guard PlainLine.allows(text, cap: longestEmail), !text.contains(where: { $0.isWhitespace || ",;<>\"".contains($0) }) else { return false }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }
}
