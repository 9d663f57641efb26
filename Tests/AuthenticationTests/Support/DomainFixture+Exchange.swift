import OstiaryProtocol

@testable import Authentication

/// A message that a phone is about to seal.
struct Outgoing: Sendable {
    var bytes: [UInt8]
    let ephemeral: EphemeralKey
    var sentAt: Instant
}

extension DomainFixture {
    func seal(_ message: Outgoing) throws -> SealedRequest {
        try SealedRequest(message.bytes, to: keys.published.value, of: keys.root, ephemeral: message.ephemeral, at: message.sentAt)
    }

    /// What the dispatcher of the server does with a request that arrives. Nothing here waits for anything outside: a test of thousands of messages
    /// would hold its thread of the shared pool, and everything that was to answer in time in this process with it.
    func receive(_ bytes: [UInt8], at server: ServerID? = nil) async throws -> Reply {
        await Task.yield()
        let request = PhoneRequest(server: server ?? self.server, opened: try OpenedRequest(bytes, with: keys.prekey), now: now)
        return try await WatchedStore.$signatures.withValue(request.signatures) { try await answer(request) }
    }

    private func answer(_ request: PhoneRequest) async throws -> Reply {
        try request.checkClock()
        let type: MessageType
        do { type = try MessageType(of: request.opened.message) } catch { throw Refusal.malformed(error) }
        switch type {
        case .e1: return try await enrolments.claim(request)
        case .e3: return try await enrolments.finish(request)
        case .w1: return try await answerAtOnce(try enrolments.wait(request))
        case .l1: return try await login.show(request)
        case .l5: return try await login.decide(request)
        case .l7: return try await login.note(request)
        case .m1: return try await attempts.evaluate(request)
        case .m3: return try await changes.complete(request)
        case .ping: return try await answerAtOnce(try presence.ping(request))
        case .fetch: return try await services.waiting.fetch(request)
        case .stop: return try await presence.stop(request)
        case .getToken: return try await tokens.answer(request, clock: { now }, ask: tokenService.ask)
        case .getData: return try await data.answer(request, ask: dataService.ask)
        case .delete: return try await accounts.delete(request)
        default: throw Refusal.messageNotServed
        }
    }

    /// What a phone hears that does not wait.
    private func answerAtOnce(_ awaited: Awaited) async throws -> Reply {
        switch try await awaited.look() {
        case .news(let reply): reply
        case .nothing(let reply, _): try reply.get()
        }
    }

    func deliver(_ message: Outgoing, at server: ServerID? = nil) async throws -> Reply {
        try await receive(try seal(message).bytes, at: server)
    }

    /// Why a message was refused; throws when it was not.
    func refusal(of message: Outgoing) async throws -> Refusal { try await refusal { _ = try await self.deliver(message) } }

    func refusal(_ body: () async throws -> Void) async throws -> Refusal {
        do { try await body() } catch let refusal as Refusal { return refusal }
        throw NotRefused()
    }
}

/// Something was accepted that a test meant to be refused.
struct NotRefused: Error {}
