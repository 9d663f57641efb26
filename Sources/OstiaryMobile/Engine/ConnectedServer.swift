import OstiaryProtocol

/// A server whose bundle was believed, with how far its clock is from ours.
struct ConnectedServer {
    let rootHash: [UInt8]
    let address: ServerAddress
    let verified: VerifiedBundle
    /// The newest sequence that counts as seen.
    let seen: Instant
    /// Seconds to add to the device's clock to get the server's; from its signed answers (protocol §4).
    var offset: Int64 = 0

    var stored: StoredServer {
        StoredServer(
            rootHash: StoredBytes(rootHash), url: address.origin, name: verified.bundle.name, bundle: StoredBytes(verified.bytes),
            sequence: seen.seconds)
    }

    /// The newest prekey, also when the device's clock says that it is too old: the server knows better, and answers CLOCK.
    func newestPrekey() -> Prekey? { verified.bundle.prekeys.map(\.value).max { $0.notAfter < $1.notAfter } }
}

extension ConnectedServer {
    /// Takes in the time of a signed answer. It was made at some moment after its request went out and before now, so what is known changes only as far as
    /// none of these moments explains that time: an answer that was long on its way, or that a device opened when it woke, makes no clock wrong. What is
    /// left of a few seconds is none either.
    /// - Parameters:
    ///   - wall: the device's clock, now.
    ///   - elapsed: seconds since the request went out, by a clock that nobody sets.
    mutating func adjust(to time: Instant, at wall: UInt64, after elapsed: UInt64) {
        guard let made = Int64(exactly: time.seconds) else { return }
        let (sent, now) = (Int64(clamping: wall - min(elapsed, wall)), Int64(clamping: wall))
        let difference = min(max(offset, made - now), made - sent)
        offset = abs(difference) > 5 ? difference : 0
    }
}

extension Engine {
    /// The server's clock, as far as it is known.
    func now(at rootHash: [UInt8]) -> Instant {
        let wall = ports.clock.wall
        let offset = servers[rootHash]?.offset ?? 0
        return offset < 0 ? Instant(wall) - offset.magnitude : Instant(wall) + UInt64(offset)
    }
}
