import OstiaryProtocol
import OstiaryTokens

/// What an operator wants written, of any kind and together. A list that is nil says nothing of its kind.
///
/// The applications have no secrets: those that are there stay, and one that needs its first is given it.
package struct RegistryDocument: Equatable, Sendable {
    package var apis: [ProtectedAPI]?
    package var roles: [Role]?
    package var applications: [Application]?
    package var users: [ProviderUser]?

    package init(apis: [ProtectedAPI]? = nil, roles: [Role]? = nil, applications: [Application]? = nil, users: [ProviderUser]? = nil) {
        self.apis = apis
        self.roles = roles
        self.applications = applications
        self.users = users
    }
}

/// The name of one thing that an operator wrote.
package enum RegistryItem: Hashable, Sendable {
    case api(APIIdentifier)
    case role(String)
    case application(ClientID)
    /// As the business backend names them.
    case user(String)
}

/// One thing as it was and as it is; nil where it was or is not there.
package enum RegistryChange: Equatable, Sendable {
    case api(before: ProtectedAPI?, after: ProtectedAPI?)
    case role(before: Role?, after: Role?)
    case application(before: Application?, after: Application?)
    case user(before: ProviderUser?, after: ProviderUser?)
}

/// What became of a document.
package struct RegistryOutcome: Sendable {
    /// In the order in which they were made: first what goes.
    package internal(set) var changes: [RegistryChange]
    /// The secrets of applications that had none, told this once.
    package internal(set) var secrets: [ClientID: DrawnClientSecret]
}

/// Why something may not be written, and what it is.
package struct RegistryRefusal: Error, Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        case api(APIRefusal)
        case role(RoleRefusal)
        case application(ApplicationRefusal)
        case user(UserRefusal)
    }

    package let item: RegistryItem
    package let reason: Reason

    package init(_ item: RegistryItem, _ reason: Reason) {
        self.item = item
        self.reason = reason
    }
}

/// There is nothing of that name.
package struct UnknownRegistryItem: Error, Equatable, Sendable {
    package let item: RegistryItem

    package init(_ item: RegistryItem) { self.item = item }
}

/// The application shows who it is without a secret.
package struct NoSecretWanted: Error, Equatable, Sendable {
    package init() {}
}

/// The text of a client's secret, which nobody but its client keeps: 43 characters of base64url.
package struct DrawnClientSecret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let text: String

    init(using random: any RandomSource) { text = Base64URL.encode(random.bytes(32)) }

    var stored: ClientSecret { ClientSecret(hash: ClientSecret.hash(of: text), expiresAt: nil) }
    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
