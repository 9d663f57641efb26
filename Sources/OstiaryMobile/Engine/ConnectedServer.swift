import OstiaryProtocol

/// A server whose bundle was believed, with how far its clock is from ours.
struct ConnectedServer {
    let rootHash: [UInt8]
    let address: ServerAddress
    let verified: VerifiedBundle
    /// The newest sequence that counts as seen.
    let seen: Instant
    /// Seconds to add to the device's clock to get the server's; from its last signed answer (protocol §4).
    var offset: Int64 = 0

    var stored: StoredServer {
        StoredServer(
            rootHash: StoredBytes(rootHash), url: address.origin, name: verified.bundle.name, bundle: StoredBytes(verified.bytes),
            sequence: seen.seconds)
    }

    /// The newest prekey, also when the device's clock says that it is too old: the server knows better, and answers CLOCK.
    func newestPrekey() -> Prekey? { verified.bundle.prekeys.map(\.value).max { $0.notAfter < $1.notAfter } }
}

extension Engine {
    /// The server's clock, as far as it is known.
    func now(at rootHash: [UInt8]) -> Instant {
        let wall = ports.clock.wall
        let offset = servers[rootHash]?.offset ?? 0
        return offset < 0 ? Instant(wall) - offset.magnitude : Instant(wall) + UInt64(offset)
    }
}
