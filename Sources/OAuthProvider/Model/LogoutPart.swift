import OstiaryProtocol

/// How far a look at all grants has come: behind this one, in the order of servers, clients and grants.
package struct GrantPlace: Hashable, Sendable {
    package let server: ServerID
    package let client: ClientID
    package let grant: GrantID

    package init(server: ServerID, client: ClientID, grant: GrantID) {
        self.server = server
        self.client = client
        self.grant = grant
    }
}

/// What a look at so many grants has found.
package struct LogoutPart: Sendable {
    package let notices: [LogoutNotice]
    /// Where the next look goes on; nil when there are no more.
    package let next: GrantPlace?

    package init(notices: [LogoutNotice], next: GrantPlace?) {
        self.notices = notices
        self.next = next
    }
}
