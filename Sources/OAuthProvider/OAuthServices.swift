import OstiaryProtocol
import OstiaryTokens

/// The services of the provider over one store, one keyring and one random source: all that routes and tests hold.
///
/// One for all of them: as a value each handler of the routes had all of it to itself.
package final class OAuthServices: Sendable {
    package let visits: VisitService
    package let authorize: AuthorizeService
    package let push: PushService
    package let token: TokenEndpoint
    package let devices: DeviceService
    package let backchannel: BackchannelService
    package let approval: PolledApproval
    package let introspection: IntrospectionService
    package let revocation: RevocationService
    package let userInfo: UserInfoService
    package let discovery: DiscoveryService
    package let endSession: EndSessionService
    package let registration: ClientRegistrationService
    private let context: ProviderContext

    /// - Parameters:
    ///   - registrations: clients that one place may register in a day where anybody may.
    ///   - visitLimit: authorization requests that may wait for their person.
    ///   - deviceLimit: device codes that may.
    package init(
        store: any OAuthStore, keyring: any TokenKeyring, random: any RandomSource,
        registrationsByPlace registrations: Int = ClientRegistrationService.mostByPlace, visits visitLimit: WaitingLimit = .visits,
        devices deviceLimit: WaitingLimit = .devices
    ) {
        let context = ProviderContext(store: store, keyring: keyring, random: random)
        authorize = AuthorizeService(context: context, limit: visitLimit)
        push = PushService(context: context, limit: visitLimit)
        token = TokenEndpoint(context: context)
        devices = DeviceService(context: context, limit: deviceLimit)
        backchannel = BackchannelService(context: context)
        approval = PolledApproval(context: context)
        introspection = IntrospectionService(context: context)
        revocation = RevocationService(context: context)
        userInfo = UserInfoService(context: context)
        discovery = DiscoveryService(context: context)
        endSession = EndSessionService(context: context)
        registration = ClientRegistrationService(context: context, byPlace: registrations)
        visits = VisitService(authorize: authorize, devices: devices, approval: approval)
        self.context = context
    }

    /// The nonces that a virtual server gives out for proofs, where it asks for them (RFC 9449 §8).
    /// - Throws: `NoProvider`.
    package func proofNonces(of server: ServerID) async throws -> DPoPNonces { try await context.keyring.keys(of: server).nonces }

    /// Work in the background, for the node that has the lease.
    package func logouts(through gateway: any LogoutGateway) -> LogoutService { LogoutService(context: context, gateway: gateway) }
    package var pushedDecisions: PushedDecisions { PushedDecisions(context: context) }
    package func pings(through gateway: any PingGateway) -> PingService { PingService(context: context, gateway: gateway) }
}
