import OstiaryProtocol

/// Something that an operator may later want to know who did when. Written in the transaction of what it tells.
package struct AuditEntry: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case serverCreated, serverUpdated
        case enrolmentStarted, accountEnrolled, accountActivated, enrolmentFailed, enrolmentDisowned
        /// An account without a second factor was made, and one became a full one.
        case headlessEnrolled, accountUpgraded
        case accountBlocked, accountUnblocked, accountDeleted, accountDeletedByUser, accountClosedBySecondFactor
        case loginAccepted, loginDenied, loginDisowned
        /// An account's phone claimed a login that ended before anything was decided.
        case loginAbandoned
        /// The browser of a login page came back: what was accepted is a login from now on.
        case loginReturned
        /// It did not, before the login ended.
        case loginNotReturned
        /// The browser that came back with the return code was not the one that began.
        case loginInOtherBrowser
        /// Three wrong numbers ended a login that was pushed.
        case loginNumbersWrong
        /// An offline code was right: one factor, and no phone has said yes.
        case loginByOfflineCode
        /// So many were wrong that the virtual server looks at none for a while: somebody tries codes of many accounts.
        case offlineCodesPaused
        case biometricsAdded, biometricsRemoved, pinChanged
        case secondFactorResetAsked, secondFactorReset
        case applicationSaved, applicationRemoved, clientSecretRotated
        case apiSaved, apiRemoved, roleSaved, roleRemoved, userSaved, userRemoved
        /// Who may register applications by themselves, and the tokens for it.
        case registrationSaved, registrationTokenDrawn, registrationTokensEnded
        /// The service behind a virtual server that gives tokens, and the secret that it is shown.
        case tokenServiceSaved, tokenServiceSecretSet, tokenServiceRemoved
        /// The same of the one that answers devices.
        case dataServiceSaved, dataServiceSecretSet, dataServiceRemoved
        /// All keys that sign tokens, before their time.
        case tokenKeysReplaced
        /// What people let clients do was taken back: by an operator; because a client had more of it than it may; because two had a code or a token that
        /// only one may have.
        case grantsEnded, grantsEndedByLimit, grantsEndedByReuse
        /// What somebody had agreed to was forgotten.
        case consentsWithdrawn
    }

    package let kind: Kind
    package let server: ServerID
    package let account: AccountID?
    package let actor: AuditActor
    package let at: Instant
    /// What a login was proved by, for the log; the audit trail does not keep it.
    package let methods: Methods?

    package init(_ kind: Kind, server: ServerID, account: AccountID? = nil, by actor: AuditActor, at: Instant, methods: Methods? = nil) {
        self.kind = kind
        self.server = server
        self.account = account
        self.actor = actor
        self.at = at
        self.methods = methods
    }
}
