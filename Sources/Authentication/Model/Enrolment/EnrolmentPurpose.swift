import OstiaryProtocol

/// What comes of an enrolment (protocol §5, decision 0046). It is said when the enrolment begins, by whoever begins it, and no message of a phone changes it: so
/// an account that was to have a second factor never comes about without one, and none that has one is touched by an enrolment.
package enum EnrolmentPurpose: Equatable, Sendable {
    /// A new account, with a second factor.
    case full
    /// A new account without one: a headless account.
    case headless
    /// A second factor for the headless account of that id, which becomes a full one.
    case upgrade(AccountID)

    /// Whether the phone is asked for a PIN.
    package var asksSecondFactor: Bool { self != .headless }

    /// The account that is there before; nil where the enrolment makes one.
    package var upgraded: AccountID? { if case .upgrade(let account) = self { account } else { nil } }
}
