import OstiaryProtocol

/// What a phone waits for (protocol §2): it is looked at once, and once more when there are news or the phone has waited for as long as it wants to.
package struct Awaited: Sendable {
    /// What the news are about that end the wait. Whoever waits subscribes to them before the first look, so that nothing falls between the two.
    package let topics: [EventTopic]
    /// The most seconds that the phone waits.
    package let hold: UInt8
    /// The first look. It has the effects of the request; the one after the wait has none of them.
    package let look: @Sendable () async throws -> Look

    package init(topics: [EventTopic], hold: UInt8, look: @Sendable @escaping () async throws -> Look) {
        self.topics = topics
        self.hold = hold
        self.look = look
    }

    package enum Look: Sendable {
        /// Told at once.
        case news(Reply)
        /// Nothing yet: what a phone hears that does not wait, and how to look again for one that did.
        case nothing(Result<Reply, Refusal>, again: @Sendable (_ now: Instant) async throws -> Reply)
    }
}
