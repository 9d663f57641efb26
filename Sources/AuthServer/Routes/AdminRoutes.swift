import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// The REST API of the private listener: what business backends and operators ask. Each call decodes, asks the domain once and encodes.
///
/// Every call carries `X-apikey`; the calls about a session carry its nonce in `X-nonce`. docs/rest-api.md tells each with an example,
/// `GET /openapi.json` for programs.
package struct AdminRoutes: Sendable {
    let servers: ServerService
    let sessions: SessionQueries
    let enrolments: EnrolmentService
    let accounts: AccountService
    let pages: PageService
    let visualHashes: VisualHashes
    let publicURL: PublicURL
    let clock: @Sendable () -> Instant

    package init(
        servers: ServerService, sessions: SessionQueries, enrolments: EnrolmentService, accounts: AccountService, pages: PageService,
        visualHashes: VisualHashes, publicURL: PublicURL, clock: @Sendable @escaping () -> Instant
    ) {
        self.servers = servers
        self.sessions = sessions
        self.enrolments = enrolments
        self.accounts = accounts
        self.pages = pages
        self.visualHashes = visualHashes
        self.publicURL = publicURL
        self.clock = clock
    }

    /// Adds the API behind its key; what was added to the router before needs none.
    /// - Parameter keyHash: SHA of the API key.
    package func add(to router: Router<ServiceRequestContext>, keyHash: [UInt8]) {
        router.get("/openapi.json") { _, _ in PageAsset.openAPI.response }
        router.add(middleware: AdminKey(hash: keyHash))
        router.add(table, clock: clock) { [servers] id in _ = try await servers.virtualServer(id) }
    }

    /// Every call, in the order of docs/rest-api.md.
    var table: [AdminRoute] { serverTable + sessionTable + enrolmentTable + accountTable }
}
