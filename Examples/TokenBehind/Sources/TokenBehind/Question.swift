/// What the authentication server tells of whoever is logged in (docs/token-service.md). A service looks at what it needs, and ignores what it does not know.
struct Question: Decodable, Sendable {
    /// The same for each try of one call.
    let requestid: String
    let serverid: String
    let sid: String
    let accountid: String
    /// Of an account without a user there is none.
    let userid: String?
    /// Unix seconds.
    let logintime: UInt64
    let acr: String
    let amr: [String]
}
