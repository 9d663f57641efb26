import OstiaryProtocol

// Server: talking to a server.
//
// Owns: bundles and who signed them, sealing and opening, a server's clock, tries again, and what a status means to an app. Leaves to others: what is
// said (Login/, Enrolment/, SecondFactor/, Presence/, Accounts/).
// Start reading here, then Bundles.

/// A request with its answer, whose signature was checked.
struct Exchanged {
    let request: SealedRequest
    let answer: Answer
}

/// Requests of AP1: sealed, answered, opened; with a new bundle or another clock once more where the server asks for it (protocol §4).
extension Engine {
    func makeEphemeral() throws(OstiaryError) -> EphemeralKey {
        do throws(ExchangeError) { return try EphemeralKey(using: random) } catch { throw OstiaryError(error) }
    }

    /// One message to a server and its answer, whatever the status. `message` is asked again when the request has to be made again;
    /// it is given the time stamp that the request will bear.
    func exchange(
        with rootHash: [UInt8], _ ephemeral: EphemeralKey, timeout: Double = 15, after: Instant = Instant(0),
        _ message: (Instant) throws(OstiaryError) -> [UInt8]
    ) async throws(OstiaryError) -> Exchanged {
        var (mayRenew, mayAdjust) = (true, true)
        while true {
            let server = try await server(rootHash)
            guard let prekey = server.newestPrekey() else { throw .serverAnswer }
            let sentAt = max(now(at: rootHash), after + 1)
            let request = try seal(try message(sentAt), to: prekey, of: server.verified.operatorKeys.root, ephemeral, at: sentAt)
            let response = try await call(server.address, "/ap1", body: request.bytes, timeout: timeout)
            switch response.status {
            case 200:
                let answer = try await open(response.body, to: request, from: server, mayRenew: &mayRenew)
                if answer.status == .clock, mayAdjust { mayAdjust = false } else { return Exchanged(request: request, answer: answer) }
            case 409 where mayRenew:
                mayRenew = false
                try believe(response.body, of: rootHash, at: server.address)
            case 400 where mayRenew:
                // Also how a stranger at this address answers: one who cannot show the pinned identity either is told apart here.
                mayRenew = false
                try await fetchBundle(of: rootHash, at: server.address)
            default:
                throw Self.error(forHTTP: response.status)
            }
        }
    }

    func seal(
        _ message: [UInt8], to prekey: Prekey, of root: Root, _ ephemeral: EphemeralKey, at sentAt: Instant
    ) throws(OstiaryError) -> SealedRequest {
        do throws(ExchangeError) {
            return try SealedRequest(message, to: prekey, of: root, ephemeral: ephemeral, at: sentAt)
        } catch {
            throw OstiaryError(error)
        }
    }

    /// A signature by a key that the bundle does not have is looked at again with a new one, once: keys of a server change.
    private func open(
        _ bytes: [UInt8], to request: SealedRequest, from server: ConnectedServer, mayRenew: inout Bool
    ) async throws(OstiaryError) -> Answer {
        do throws(OstiaryError) { return try open(bytes, to: request, from: server) } catch {
            guard error == .serverIdentity, mayRenew else { throw error }
            mayRenew = false
            return try open(bytes, to: request, from: try await fetchBundle(of: server.rootHash, at: server.address, orHeld: false))
        }
    }

    private func open(_ bytes: [UInt8], to request: SealedRequest, from server: ConnectedServer) throws(OstiaryError) -> Answer {
        let clock = now(at: server.rootHash)
        do throws(ExchangeError) {
            let answer = try request.open(bytes, from: server.verified.operatorKeys, clock: clock)
            adjust(server.rootHash, to: answer.time)
            return answer
        } catch {
            throw server.verified.operatorKeys.hasKey(at: clock) ? OstiaryError(error) : .clockWrong
        }
    }

    /// A few seconds are the time that the answer took; more is a clock that is wrong, here or there.
    private func adjust(_ rootHash: [UInt8], to time: Instant) {
        let wall = ports.clock.wall
        guard let difference = Int64(exactly: time.seconds).map({ $0 - Int64(clamping: wall) }) else { return }
        servers[rootHash]?.offset = abs(difference) > 5 ? difference : 0
    }

    /// The body of an answer that says OK; else the reason as an error. A proof that the account is gone removes it here.
    func body(of exchanged: Exchanged, about account: AccountID?, at rootHash: [UInt8]) throws(OstiaryError) -> [UInt8] {
        switch exchanged.answer.status {
        case .ok: return exchanged.answer.body
        case .accountDeleted:
            try bury(account, proof: exchanged.answer.body, at: rootHash)
            throw .accountDeleted
        case let status: throw OstiaryError(status)
        }
    }

    /// Does something that needs the server, again and again while it cannot be reached: the app hears `serverConnection` at the first
    /// failure, and gets it thrown when the configured patience is over.
    func reaching<Value>(
        for id: Session.ID?, patience: Double? = nil, _ body: () async throws(OstiaryError) -> Value
    ) async throws(OstiaryError) -> Value {
        var backoff = Backoff(limit: patience ?? configuration.connectionPatience.inSeconds)
        var isFirst = true
        while true {
            do throws(OstiaryError) {
                let value = try await body()
                if !isFirst { note(connectionError: false, of: id) }
                return value
            } catch {
                guard error == .serverConnection, let delay = backoff.delay() else { throw error }
                if isFirst {
                    note(connectionError: true, of: id)
                    emit(.error(.serverConnection, session: id.flatMap { session($0)?.shown }))
                }
                isFirst = false
                await ports.clock.sleep(seconds: delay)
                if Task.isCancelled { throw .cancelled }
            }
        }
    }

    /// Repeats an exchange while the server says that it, or the second-factor server behind it, is not able right now: after 1, 2, 4 and
    /// 8 seconds. Returns the last answer.
    func untilSettled(_ body: () async throws(OstiaryError) -> Exchanged) async throws(OstiaryError) -> Exchanged {
        var backoff = Backoff(limit: 15)
        while true {
            let exchanged = try await body()
            let status = exchanged.answer.status
            guard status == .busy || status == .secondFactorUnavailable, let delay = backoff.delay() else { return exchanged }
            await ports.clock.sleep(seconds: delay)
            try checkNotAborted()
        }
    }

    func note(connectionError: Bool, of id: Session.ID?) {
        guard let id, session(id)?.shown.connectionError != connectionError else { return }
        update(id) { $0.connectionError = connectionError }
    }
}
