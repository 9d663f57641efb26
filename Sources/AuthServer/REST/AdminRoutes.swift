import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OAuthProvider
import OstiaryProtocol

/// The REST API of the private listener: what business backends and operators ask. Each call decodes, asks the domain once and encodes.
///
/// Every call carries `X-apikey`; the calls about a session carry its nonce in `X-nonce`. docs/rest-api.md tells each with an example,
/// `GET /openapi.json` for programs.
package struct AdminRoutes: Sendable {
    let domain: AuthenticationServices
    let registry: RegistryService
    let tokenKeys: SQLTokenKeyring
    let tokenServices: ServiceSettings
    let dataServices: ServiceSettings
    let pages: PageService
    let visualHashes: VisualHashes
    let publicURL: PublicURL
    let clock: @Sendable () -> Instant

    /// Adds the API behind its key; what was added to the router before needs none.
    /// - Parameter keyHash: SHA of the API key.
    package func add(to router: Router<ServiceRequestContext>, keyHash: [UInt8]) {
        router.get("/openapi.json") { request, _ -> Response in
            try RequestQuery(request).check(knows: [])
            try await request.checkNoBody()
            return PageAsset.openAPI.response
        }
        router.add(middleware: AdminKey(hash: keyHash))
        router.add(table, clock: clock) { [domain] id in _ = try await domain.servers.virtualServer(id) }
    }

    var sessionAnswers: SessionAnswers { SessionAnswers(sessions: domain.sessions) }

    /// Answers getSession before its route, where that can be done at once.
    /// - Parameter keyHash: SHA of the API key.
    package func early(keyHash: [UInt8]) -> EarlyAnswer {
        let (answers, key, clock) = (sessionAnswers, AdminKey(hash: keyHash), clock)
        return { request in answers.early(request, behind: key, at: clock) }
    }

    /// Every call, in the order of docs/rest-api.md.
    var table: [AdminRoute] {
        serverTable + sessionTable + enrolmentTable + accountTable + registryTable + registrationTable + grantTable + tokenKeyTable
            + serviceTable("tokenservice", tokenServices) + serviceTable("dataservice", dataServices)
    }
}
