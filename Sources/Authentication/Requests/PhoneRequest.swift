import OstiaryProtocol

/// A request that a virtual server opened, and when. Nothing in it is believed but what the signatures in its message prove.
package struct PhoneRequest: Sendable {
    /// How far the clock of a phone may be off, in seconds (protocol §2).
    package static let window: UInt64 = 120
    /// How long a request that had an effect is remembered: both sides of the window and a margin (protocol §4).
    package static let memory: UInt64 = 600

    package let server: ServerID
    package let opened: OpenedRequest
    package let now: Instant
    let signatures = SignatureChecks()

    package init(server: ServerID, opened: OpenedRequest, now: Instant) {
        self.server = server
        self.opened = opened
        self.now = now
    }

    package var ephemeral: [UInt8] { opened.ephemeral }

    /// Throws `clockOff` for a request that was sealed too long ago or too far ahead.
    package func checkClock() throws(Refusal) {
        guard opened.sentAt.distance(to: now) <= Self.window else { throw .clockOff }
    }

    /// Spends the request inside the transaction of its effect; the same bytes have no second one (protocol §4).
    /// - Parameter again: whether the body looks again: then its first run may have spent it.
    func spend(in rows: any ReplayRows, again: Bool = false) throws {
        guard try rows.spend(opened.replayKey, until: now + Self.memory) || again else { throw Refusal.replayed }
    }
}

/// Decodes a message, as one refusal whatever is wrong with it.
func decoded<Message: WireMessage>(_: Message.Type = Message.self, from request: PhoneRequest) throws(Refusal) -> Encoded<Message> {
    do { return try Encoded(decoding: request.opened.message) } catch { throw .malformed(error) }
}

extension Extensions {
    /// The notices that a message says were shown (protocol §8).
    func acknowledged() throws(Refusal) -> [NoticeID] { do { return try shownNotices() } catch { throw .malformed(error) } }

    /// The key that an L5 names for tokens (protocol §6).
    func namedTokenKey() throws(Refusal) -> TokenKey? { do { return try tokenKey() } catch { throw .malformed(error) } }
}
