import OstiaryProtocol

/// One request of AP1: sealed, answered, opened; with a new bundle or another clock once more where the server asks for it (protocol §4).
extension ServerLine {
    func exchange(
        _ engine: isolated Engine, _ message: (Instant, EphemeralKey) throws(OstiaryError) -> [UInt8]
    ) async throws(OstiaryError) -> Exchanged {
        let ephemeral = if let ephemeral { ephemeral } else { try engine.makeEphemeral() }
        var (mayRenew, mayAdjust) = (true, true)
        while true {
            let server = try await engine.server(rootHash)
            guard let prekey = server.newestPrekey() else { throw .serverAnswer }
            let sentAt = SessionStamps.next(after: lastStamp(engine), at: engine.now(at: rootHash))
            let sealed = try engine.seal(
                try message(sentAt, ephemeral), to: prekey, of: server.verified.operatorKeys.root, ephemeral, at: sentAt)
            changeStamps(engine) { $0.send(sentAt) }
            let began = engine.ports.clock.monotonic
            let response = try await engine.call(server.address, "/ap1", body: sealed.bytes, timeout: timeout)
            switch response.status {
            case 200:
                let answer = try await engine.open(response.body, to: sealed, from: server, since: began, mayRenew: &mayRenew)
                changeStamps(engine) { $0.settle(sentAt, isTaken: answer.status != .clock) }
                // Somebody on the way sent these bytes twice, and the answer to the first copy is the one that was lost.
                guard answer.status != .replayed else { throw .serverConnection }
                if answer.status == .clock, mayAdjust { mayAdjust = false } else { return Exchanged(request: sealed, answer: answer) }
            case 409 where mayRenew:
                mayRenew = false
                try engine.believe(response.body, of: rootHash, at: server.address)
            case 400 where mayRenew:
                // Also how a stranger at this address answers: one who cannot show the pinned identity either is told apart here.
                mayRenew = false
                try await engine.fetchBundle(of: rootHash, at: server.address, wasRefused: true)
            default:
                throw Engine.error(forHTTP: response.status)
            }
        }
    }
}

extension Engine {
    func makeEphemeral() throws(OstiaryError) -> EphemeralKey {
        do throws(ExchangeError) { return try EphemeralKey(using: random) } catch { throw OstiaryError(error) }
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
    /// - Parameter began: when the request went out, by the monotonic clock.
    fileprivate func open(
        _ bytes: [UInt8], to request: SealedRequest, from server: ConnectedServer, since began: UInt64, mayRenew: inout Bool
    ) async throws(OstiaryError) -> Answer {
        do throws(OstiaryError) { return try open(bytes, to: request, from: server, since: began) } catch {
            guard error == .serverIdentity, mayRenew else { throw error }
            mayRenew = false
            let renewed = try await fetchBundle(of: server.rootHash, at: server.address, orHeld: false)
            return try open(bytes, to: request, from: renewed, since: began)
        }
    }

    private func open(
        _ bytes: [UInt8], to request: SealedRequest, from server: ConnectedServer, since began: UInt64
    ) throws(OstiaryError) -> Answer {
        let clock = now(at: server.rootHash)
        do throws(ExchangeError) {
            let answer = try request.open(bytes, from: server.verified.operatorKeys, clock: clock)
            adjust(to: answer.time, of: server, since: began)
            return answer
        } catch {
            throw server.verified.operatorKeys.hasKey(at: clock) ? OstiaryError(error) : .clockWrong
        }
    }

    /// A time at which none of the server's keys is valid is no clock: by it this process would believe no later answer, whatever the server says then.
    private func adjust(to time: Instant, of server: ConnectedServer, since began: UInt64) {
        guard server.verified.operatorKeys.hasKey(at: time) else { return }
        // In this order: what passes between the two only makes the time longer in which the answer was made.
        let wall = ports.clock.wall
        let monotonic = ports.clock.monotonic
        servers[server.rootHash]?.adjust(to: time, at: wall, after: monotonic - min(began, monotonic))
    }
}
