import OstiaryProtocol

/// The domain's services over one store, one keyring and one way to the second-factor server.
///
/// One for all who hold it: as a value each handler of the routes had all of it to itself, 400 KiB together.
package final class AuthenticationServices: Sendable {
    package let servers: ServerService
    package let sessions: SessionQueries
    package let enrolments: EnrolmentService
    package let logins: LoginService
    package let attempts: AttemptService
    package let changes: SecondFactorChangeService
    package let presence: PresenceService
    package let waiting: WaitingLogins
    package let verifications: VerificationService
    package let offlineCodes: OfflineLogins
    package let accounts: AccountService
    package let housekeeping: Housekeeping
    package let closes: CloseQueue
    package let events: any SessionEvents

    package init(
        store: any AuthenticationStore, keyring: any ServerKeyring, gateway: any SecondFactorGateway, events: any SessionEvents,
        random: any RandomSource, momentKeepers: [any MomentKeeper] = [], watch: ClockWatch = ClockWatch(), witness: any ClockWitness = NoWitness(),
        auditRetention: UInt64? = nil, deletedRetention: UInt64? = nil
    ) {
        let secondFactor = SecondFactorClient(gateway: gateway, keyring: keyring)
        servers = ServerService(store: store)
        sessions = SessionQueries(store: store, keyring: keyring, events: events, witness: witness)
        enrolments = EnrolmentService(
            store: store, keyring: keyring, events: events, secondFactor: secondFactor, random: random, witness: witness)
        logins = LoginService(store: store, keyring: keyring, events: events, secondFactor: secondFactor, random: random)
        attempts = AttemptService(store: store, keyring: keyring, events: events, secondFactor: secondFactor)
        changes = SecondFactorChangeService(store: store, events: events, secondFactor: secondFactor, random: random)
        presence = PresenceService(store: store, events: events, witness: witness)
        waiting = WaitingLogins(store: store, keyring: keyring, events: events)
        verifications = VerificationService(store: store, keyring: keyring)
        offlineCodes = OfflineLogins(store: store, keyring: keyring, queries: sessions, events: events, random: random)
        accounts = AccountService(store: store, events: events, secondFactor: secondFactor, witness: witness)
        housekeeping = Housekeeping(
            store: store, events: events, enrolments: enrolments, others: momentKeepers, watch: watch, auditRetention: auditRetention,
            deletedRetention: deletedRetention)
        closes = CloseQueue(store: store, secondFactor: secondFactor)
        self.events = events
    }
}
