import Authentication
import OstiaryProtocol

/// A browser's visit, one call for each that comes from it: a request or a device's code begins it, a login brings it on, and an answer for the client ends
/// it, be it a code or an error: the first is the only one. Who the browser's person is the caller knows, by the cookies that it brought.
package struct VisitService: Sendable {
    let authorize: AuthorizeService
    let devices: DeviceService
    let approval: PolledApproval

    /// A browser brings an authorization request (RFC 6749 §3.1). Whoever is logged in and need not be asked is sent back at once, and nothing waits.
    /// - Parameters:
    ///   - parameters: as the browser brought them.
    ///   - place: that it counts for, where it waits.
    ///   - login: that the browser has; it is one of before.
    /// - Throws: ``VisitEnd``, where the browser is not sent to the client; ``TooManyWaiting``.
    package func begin(
        _ parameters: [Parameter], from place: CallPlace = .unknown, by login: VisitLogin?, at server: ServerID, now: Instant
    ) async throws -> BegunVisit {
        switch try await authorize.check(parameters, at: server, askedAt: now) {
        case .page(let refusal): throw VisitEnd(refusal)
        case .redirect(let refusal, let response): return BegunVisit(nil, VisitTurn(.leave(response, refusal)))
        case .request(let asked): return try await begin(asked, parameters, from: place, .before(login), now: now)
        }
    }

    private func begin(
        _ asked: AuthorizationRequest, _ parameters: [Parameter], from place: CallPlace, _ arrival: VisitArrival, now: Instant
    ) async throws -> BegunVisit {
        let visit = arrival.visit(since: now, now: now)
        switch try await authorize.begin(asked, visit, now: now) {
        case .page(let refusal): throw VisitEnd(refusal)
        case .step(let step):
            let turn = try await turn(VisitMove(step, for: arrival), of: asked, visit, now: now)
            if case .leave = turn.step { return BegunVisit(nil, turn) }
            return BegunVisit(.request(try await authorize.keep(parameters, of: asked, from: place, at: now)), turn)
        }
    }

    /// Somebody typed what a device shows (RFC 8628 §3.3).
    /// - Parameter place: that wrong codes are counted for.
    /// - Returns: nil for a code that nobody waits with.
    /// - Throws: ``UserCodesLocked``; ``VisitEnd``, where it ended in this moment.
    package func begin(
        typing code: String, from place: CallPlace, by login: VisitLogin?, at server: ServerID, now: Instant
    ) async throws -> BegunVisit? {
        guard let waiting = try await devices.waiting(forTyped: code, from: place, at: server, now: now) else { return nil }
        return BegunVisit(.device(waiting.hash), try await turn(ofDevice: waiting.hash, .before(login), at: server, now: now))
    }

    /// What comes next for a visit that waits.
    /// - Throws: ``VisitEnd``.
    package func goOn(_ subject: VisitSubject, _ arrival: VisitArrival, at server: ServerID, now: Instant) async throws -> VisitTurn {
        switch subject {
        case .device(let hash): return try await turn(ofDevice: hash, arrival, at: server, now: now)
        case .request(let name):
            let resumed = try await authorize.resume(name, at: server, now: now)
            let turn: VisitTurn
            switch resumed.outcome {
            case .page(let refusal): throw VisitEnd(refusal)
            case .redirect(let refusal, let response): turn = VisitTurn(.leave(response, refusal))
            case .request(let asked):
                let visit = arrival.visit(since: resumed.keptAt, now: now)
                let step = try await authorize.next(for: asked, visit, now: now)
                turn = try await self.turn(VisitMove(step, for: arrival), of: asked, visit, now: now)
            }
            // A code has ended it by itself.
            if case .leave(_, _?) = turn.step { try await refuse(name, at: server) }
            return turn
        }
    }

    /// The person leaves the login page, which is a no.
    /// - Throws: ``VisitEnd``.
    package func cancel(_ subject: VisitSubject, at server: ServerID, now: Instant) async throws -> VisitTurn {
        guard case .request(let name) = subject else { return VisitTurn(.typeCode) }
        let turn: VisitTurn
        switch try await authorize.resume(name, at: server, now: now).outcome {
        case .page(let refusal): throw VisitEnd(refusal)
        case .redirect(let refusal, let response): turn = VisitTurn(.leave(response, refusal))
        case .request(let asked): turn = VisitTurn(.leave(try await refusal(.denied, of: asked), .denied), uiLocales: asked.uiLocales)
        }
        try await refuse(name, at: server)
        return turn
    }

    /// Where the page of the question may post, as its client wants its answer so; nil where it may post nowhere.
    package func receiver(of subject: VisitSubject, at server: ServerID, now: Instant) async throws -> FrameOrigin? {
        guard case .request(let name) = subject,
            case .request(let asked) = try await authorize.resume(name, at: server, now: now).outcome, asked.mode == .formPost
        else { return nil }
        return asked.redirect.formOrigin
    }
}

/// What moves come to.
extension VisitService {
    private func turn(_ move: VisitMove, of asked: AuthorizationRequest, _ visit: AuthorizeVisit, now: Instant) async throws -> VisitTurn {
        let step: VisitTurn.Step =
            switch move {
            case .logIn(let demand): .logIn(OfferedLogin(asked, demand))
            case .ask: .ask
            case .give: .leave(try await code(for: asked, visit, now: now), nil)
            case .refuse(let why): .leave(try await refusal(why, of: asked), why)
            }
        return VisitTurn(step, uiLocales: asked.uiLocales)
    }

    private func turn(ofDevice hash: [UInt8], _ arrival: VisitArrival, at server: ServerID, now: Instant) async throws -> VisitTurn {
        guard case .logIn(let demand) = VisitMove.device(for: arrival) else { return VisitTurn(.ask) }
        guard let waiting = try await approval.question(hash, at: server, now: now) else { throw VisitEnd.over }
        return VisitTurn(.logIn(OfferedLogin(waiting, demand)))
    }

    /// Ends a kept request without a code, before its client hears so: one transaction looks whether the client has its answer, and writes down
    /// that it has. The row counts among those that wait for as long as before, or whoever begins and leaves in a loop would fill the table.
    /// - Throws: ``VisitEnd/over``, where another answer was first, or the request is gone.
    func refuse(_ name: String, at server: ServerID) async throws {
        let hash = SHA(name.utf8)
        let call = RefusalID(using: authorize.context.random)
        try await authorize.context.store.write { rows in
            guard let refused = try rows.pushedRequest(hash: hash, of: server)?.refused(by: call) else { throw VisitEnd.over }
            try rows.save(refused)
        }
    }

    /// What the browser takes to its client instead of a code.
    func refusal(_ refusal: AuthorizeRefusal, of asked: AuthorizationRequest) async throws -> AuthorizeResponse {
        asked.refused(refusal, issuer: try await authorize.context.keyring.keys(of: asked.server).issuer)
    }

    /// What the browser takes to its client.
    /// - Throws: ``VisitEnd/over``, where another answer was first: of that the client hears nothing more.
    func code(for asked: AuthorizationRequest, _ visit: AuthorizeVisit, now: Instant) async throws -> AuthorizeResponse {
        do { return try await authorize.give(asked, visit, now: now) } catch is AuthorizeStepOpen {
            // The login ended since the question before, or something was changed.
            throw VisitEnd.changed
        } catch is AuthorizationRequestChanged {
            throw VisitEnd.changed
        } catch let refusal as AuthorizeRefusal {
            throw VisitEnd(refusal)
        }
    }
}
