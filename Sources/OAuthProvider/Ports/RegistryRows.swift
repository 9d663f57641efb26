import Authentication
import OstiaryProtocol

/// What an operator looks at and takes away of what they wrote, inside a transaction.
package protocol RegistryRows: ApplicationRows {
    /// By their ids, byte for byte, as all lists here are ordered.
    func applications(of server: ServerID, _ part: ListPart) throws -> Listed<Application>
    func apis(of server: ServerID, _ part: ListPart) throws -> Listed<ProtectedAPI>
    func roles(of server: ServerID, _ part: ListPart) throws -> Listed<Role>
    func users(of server: ServerID, _ part: ListPart) throws -> Listed<ProviderUser>
    /// Those who have a role, in any order.
    func users(of server: ServerID, having role: String) throws -> [ProviderUser]
    /// Takes away at most so many grants of an application, with what hangs on them, and so many consents to it; answers how many of the kind of which most
    /// went.
    func removeGiven(to id: ClientID, of server: ServerID, limit: Int) throws -> Int
    /// Takes away the application with all that was given to it: grants, consents, codes, requests under way. Its tokens are over with their grants.
    func removeApplication(_ id: ClientID, of server: ServerID) throws
    /// Takes away the API. Its grants are taken back and stay as long as their sessions, whose clients are still to hear of the end; consents go.
    func removeAPI(_ identifier: APIIdentifier, of server: ServerID, at now: Instant) throws
    func removeRole(_ name: String, of server: ServerID) throws
    func removeUser(_ userID: String, of server: ServerID) throws
    /// Writes down in the audit trail of the server who did this.
    func record(_ entry: AuditEntry) throws
}

/// Which part of a list is asked for: at most `limit` elements after the first `offset`.
package struct ListPart: Equatable, Sendable {
    package static let all = ListPart(after: 0, limit: .max)

    package let offset: Int
    package let limit: Int

    package init(after offset: Int, limit: Int) {
        self.offset = offset
        self.limit = limit
    }
}

/// A part of a list, and how long the whole is.
package struct Listed<Element: Sendable>: Sendable {
    package let elements: [Element]
    package let total: Int

    package init(_ elements: [Element], total: Int) {
        self.elements = elements
        self.total = total
    }
}
