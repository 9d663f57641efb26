import OstiaryProtocol

/// The keys of the second-factor server, which the bundle of the authentication server brings. They change, and a bundle may have named another
/// second-factor server by mistake: what does not fit the one that is held is looked at again with a new one, once, before it counts as a stranger's
/// (protocol §3).
extension Engine {
    /// The key to seal attempts to, which the second-factor server signed, and which belongs to the one the PIN was set at: the one that is offered,
    /// or the newest of the bundle.
    func secondFactorPrekey(
        _ offered: Encoded<Prekey>?, at rootHash: [UInt8], pinned: StoredBytes?, for id: Session.ID
    ) async throws(OstiaryError) -> Prekey {
        try await reaching(for: id) { () async throws(OstiaryError) in
            let held = try await server(rootHash).verified
            let wanted = pinned?.bytes ?? held.bundle.secondFactorRootHash
            if wanted == held.bundle.secondFactorRootHash, let prekey = offered ?? held.bundle.newestSecondFactorPrekey {
                let isOver = offered == nil && prekey.value.notAfter < now(at: rootHash)
                if !isOver, (try? check(prekey, by: held.secondFactorKeys, at: rootHash)) != nil { return prekey.value }
            }
            let fresh = try await freshBundle(of: rootHash, with: wanted)
            guard let prekey = offered ?? fresh.bundle.newestSecondFactorPrekey else { throw .secondFactorUnavailable }
            try check(prekey, by: fresh.secondFactorKeys, at: rootHash)
            return prekey.value
        }
    }

    /// The root of the second-factor server that the PIN of this challenge was set at. The bundle that is held may name another since the question was
    /// asked.
    func secondFactorRoot(of challenge: FactorChallenge) async throws(OstiaryError) -> Root {
        let wanted = challenge.instance.secondFactorRootHash.bytes
        let held = try await server(challenge.rootHash).verified
        if held.bundle.secondFactorRootHash == wanted { return held.secondFactorKeys.root }
        return try await freshBundle(of: challenge.rootHash, with: wanted).secondFactorKeys.root
    }

    /// Another key than this one to seal attempts to, if the server has one by now.
    func secondFactorPrekey(after prekey: Prekey, of challenge: FactorChallenge) async throws(OstiaryError) -> Prekey? {
        let fresh = try await freshBundle(of: challenge.rootHash, with: challenge.instance.secondFactorRootHash.bytes)
        guard let newest = fresh.bundle.newestSecondFactorPrekey, newest.value.publicKey != prekey.publicKey else { return nil }
        try check(newest, by: fresh.secondFactorKeys, at: challenge.rootHash)
        return newest.value
    }

    /// Opens what the second-factor server of this challenge sealed for this phone alone.
    func open(_ bytes: [UInt8], to request: SealedRequest, of challenge: FactorChallenge) async throws(OstiaryError) -> Answer {
        let held = try await server(challenge.rootHash).verified
        do throws(OstiaryError) { return try open(bytes, to: request, by: held.secondFactorKeys, at: challenge.rootHash) } catch {
            guard error == .serverIdentity || error == .clockWrong else { throw error }
            let fresh: VerifiedBundle
            do throws(OstiaryError) {
                fresh = try await freshBundle(of: challenge.rootHash, with: challenge.instance.secondFactorRootHash.bytes)
            } catch let failure {
                // Whatever came in the place of the bundle says nothing of the answer that is to be opened.
                throw failure.isLostAnswer ? .serverConnection : failure
            }
            return try open(bytes, to: request, by: fresh.secondFactorKeys, at: challenge.rootHash)
        }
    }

    /// What the server says of itself and of its second-factor server now. Where that is another one than this, nothing of it is used.
    private func freshBundle(of rootHash: [UInt8], with secondFactor: [UInt8]) async throws(OstiaryError) -> VerifiedBundle {
        let fresh = try await fetchBundle(of: rootHash, at: try await server(rootHash).address, orHeld: false).verified
        guard fresh.bundle.secondFactorRootHash == secondFactor else { throw .serverIdentity }
        return fresh
    }

    /// Throws unless one of these keys signed the prekey: `clockWrong` if it is one that is not valid now.
    private func check(_ prekey: Encoded<Prekey>, by keys: OperatorKeys, at rootHash: [UInt8]) throws(OstiaryError) {
        let now = now(at: rootHash)
        guard (try? prekey.verify(with: keys, at: now)) == nil else { return }
        guard keys.hasKey(at: now) else { throw .clockWrong }
        guard let begin = keys.begin(of: prekey.value.signature.keyID), (try? prekey.verify(with: keys, at: begin)) != nil else {
            throw .serverIdentity
        }
        throw .clockWrong
    }

    private func open(_ bytes: [UInt8], to request: SealedRequest, by keys: OperatorKeys, at rootHash: [UInt8]) throws(OstiaryError) -> Answer {
        let now = now(at: rootHash)
        do throws(ExchangeError) { return try request.open(bytes, from: keys, clock: now) } catch {
            throw keys.hasKey(at: now) || error != .badSignature ? OstiaryError(error) : .clockWrong
        }
    }
}

extension OstiaryProtocol.Bundle {
    fileprivate var newestSecondFactorPrekey: Encoded<Prekey>? { secondFactor.value.prekeys.max { $0.value.notAfter < $1.value.notAfter } }
}
