import OstiaryProtocol

/// What the page of a login hears of this phone when it does not go on (L7, protocol §6): said when it arises and when the login is left, best
/// effort, waited for by nobody.
struct PageReport: Sendable {
    /// The login, and what its L2 wants back.
    let session: SessionID
    let offer: Encoded<Offer>
    /// Who answers it, under the key of the question.
    let account: StoredAccount
    let ephemeral: EphemeralKey
    /// What stands in the way; nil while nothing does.
    var trouble: Trouble?

    struct Trouble: Equatable {
        let state: PhoneState
        /// The end of a penalty by the server's clock.
        var until = Instant(0)
    }

    /// What to say when the login is left: what stands in the way. Who leaves in a penalty gave up, and the page does not wait for its end.
    var parting: Trouble {
        guard let trouble, trouble.state != .penalised else { return Trouble(state: .gaveUp) }
        return trouble
    }
}
