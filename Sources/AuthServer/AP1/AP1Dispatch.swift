import Authentication
import HTTPService
import Logging
import OstiaryProtocol

/// What a phone's request is answered with, before HTTP.
enum AP1Outcome: Sendable {
    /// A sealed, signed answer.
    case answered([UInt8])
    /// Sealed to a prekey that this server does not have any more: the bundle tells the present ones.
    case outdated(Encoded<Bundle>)
    /// Nothing that this server could open.
    case unreadable
}

/// Opens requests, hands them to the feature of their message type, and seals the answers (protocol §4).
struct AP1Dispatch: Sendable {
    let vault: ServerVault
    let bundles: BundleMaker
    let features: AP1Features
    let clock: @Sendable () -> Instant
    private let refusals = PhoneRefusalLog()

    init(vault: ServerVault, bundles: BundleMaker, features: AP1Features, clock: @Sendable @escaping () -> Instant) {
        self.vault = vault
        self.bundles = bundles
        self.features = features
        self.clock = clock
    }

    func answer(_ bytes: [UInt8], from caller: AP1Caller, logger: Logger) async throws -> AP1Outcome {
        guard let header = try? RequestHeader(of: bytes), let server = try await vault.server(tag: header.serverTag) else { return .unreadable }
        guard let prekey = try await vault.prekey(header.prekeyID, of: server) else { return .outdated(try await bundles.bundle(of: server)) }
        guard let opened = try? OpenedRequest(bytes, with: prekey) else { return .unreadable }
        let request = PhoneRequest(server: server, opened: opened, now: clock())
        let reply = try await reply(to: request, from: caller, logger: logger)
        return .answered(try await seal(reply, for: request))
    }

    /// Refusals are answers; only faults are thrown.
    private func reply(to request: PhoneRequest, from caller: AP1Caller, logger: Logger) async throws -> Reply {
        do {
            try request.checkClock()
            let reply = try await features.reply(to: request, from: caller)
            if reply.status != .ok { refusals.refused(request, reply.status, reason: nil, logger: logger) }
            return reply
        } catch let refusal as Refusal {
            refusals.refused(request, refusal.status, reason: "\(refusal)", logger: logger)
            return try await told(refusal, request)
        }
    }

    /// A deleted account is told by a tombstone, without which a phone deletes nothing (protocol §13).
    private func told(_ refusal: Refusal, _ request: PhoneRequest) async throws -> Reply {
        guard case .accountDeleted(let account, let since) = refusal else { return Reply(refusal.status) }
        let keys = try await vault.keys(of: request.server)
        return Reply(refusal.status, body: Encoded(Tombstone(accountID: account, time: since), signedBy: keys.operatorKey).bytes)
    }

    private func seal(_ reply: Reply, for request: PhoneRequest) async throws -> [UInt8] {
        let keys = try await vault.keys(of: request.server)
        return try request.opened.answer(reply.status, body: reply.body, at: clock(), signedBy: keys.operatorKey)
    }
}
