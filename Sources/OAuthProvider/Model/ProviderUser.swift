import OstiaryProtocol
import OstiaryTokens

/// What an operator says of a user of the business backend, for all of their accounts: what tokens may tell of them, and which roles they have. Of an
/// account that stands alone there is nothing of the kind.
package struct ProviderUser: Equatable, Sendable {
    package let server: ServerID
    /// As the business backend names them.
    package let userID: String
    package var profile: ProfileClaims
    package var roles: Set<String>

    package init(server: ServerID, userID: String, profile: ProfileClaims = .none, roles: Set<String> = []) {
        self.server = server
        self.userID = userID
        self.profile = profile
        self.roles = roles
    }
}
