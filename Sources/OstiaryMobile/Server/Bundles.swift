import Foundation
import OstiaryProtocol

/// Bundles: fetched by the pinned root hash, believed only with its signatures, and not when they are much older than one that was believed before
/// (protocol §3).
extension Engine {
    /// A server by its root hash: from memory, from the store, or by asking it.
    func server(_ rootHash: [UInt8]) async throws(OstiaryError) -> ConnectedServer {
        if let server = servers[rootHash] { return server }
        guard let stored = try known().server(rootHash), let address = ServerAddress(stored.url) else { throw .accountUnknown }
        if let server = try? believe(stored.bundle.bytes, of: rootHash, at: address),
            now(at: rootHash) <= (server.newestPrekey()?.notAfter ?? Instant(0))
        {
            return server
        }
        return try await fetchBundle(of: rootHash, at: address)
    }

    /// A new bundle.
    /// - Parameters:
    ///   - orHeld: whether the one that is held will do when an older one comes. For who asks because that one does not know a key it will not.
    ///   - wasRefused: whether who answers there could not read a request. One who does not know the server either is an impostor where this device
    ///     enrolled; else 404 is no answer there: a proxy says so while the server behind it starts (protocol §4).
    @discardableResult
    func fetchBundle(
        of rootHash: [UInt8], at address: ServerAddress, orHeld: Bool = true, wasRefused: Bool = false
    ) async throws(OstiaryError) -> ConnectedServer {
        let response = try await call(address, "/ap1/bundle/\(Base64URL.encode(rootHash))", body: nil)
        guard response.status != 404 else { throw !isKnown(rootHash) ? .serverParametersMissing : wasRefused ? .serverIdentity : .serverAnswer }
        guard response.status == 200 else { throw Self.error(forHTTP: response.status) }
        do throws(OstiaryError) { return try believe(response.body, of: rootHash, at: address) } catch {
            // One that is older takes no other's place: what is held goes on, and the server says what it thinks of its prekey.
            guard error == .clockWrong, orHeld, let held = held(rootHash, at: address) else { throw error }
            return held
        }
    }

    /// The bundle that was believed last, if its signatures are good now.
    private func held(_ rootHash: [UInt8], at address: ServerAddress) -> ConnectedServer? {
        if let server = servers[rootHash] { return server }
        guard let stored = stored?.server(rootHash), let address = ServerAddress(stored.url) else { return nil }
        return try? believe(stored.bundle.bytes, of: rootHash, at: address)
    }

    /// Whether this device enrolled there: then somebody else at the address is an impostor, and no slip in a code.
    private func isKnown(_ rootHash: [UInt8]) -> Bool { stored?.server(rootHash) != nil }

    /// Takes a bundle as this server's newest, if it is one.
    @discardableResult
    func believe(_ bytes: [UInt8], of rootHash: [UInt8], at address: ServerAddress) throws(OstiaryError) -> ConnectedServer {
        guard let encoded = try? Encoded<OstiaryProtocol.Bundle>(decoding: bytes) else { throw .serverParametersUnreadable }
        let clocks = [Instant(ports.clock.wall), now(at: rootHash)]
        let seen = max(Instant(stored?.server(rootHash)?.sequence ?? 0), servers[rootHash]?.seen ?? Instant(0))
        let verified: VerifiedBundle
        do throws(BundleRefusal) {
            verified = try VerifiedBundle.verify(
                encoded, rootHash: rootHash, lowest: BundleAge.lowest(after: seen, clocks: clocks), at: now(at: rootHash))
        } catch {
            throw isKnown(rootHash) && error == .wrongIdentity ? .serverIdentity : OstiaryError(error)
        }
        // What the server signed about its address counts; the link only said where to look first.
        guard let signed = ServerAddress(verified.bundle.url) else { throw .serverNotAllowed }
        let server = ConnectedServer(
            rootHash: rootHash, address: signed, verified: verified,
            seen: BundleAge.seen(verified.bundle.sequence, after: seen, clocks: clocks), offset: servers[rootHash]?.offset ?? 0)
        servers[rootHash] = server
        if let old = stored?.server(rootHash), old != server.stored {
            try write { (state) throws(OstiaryError) in state.keep(server.stored) }
        }
        return server
    }

    func call(_ address: ServerAddress, _ path: String, body: [UInt8]?, timeout: Double = 15) async throws(OstiaryError) -> TransportResponse {
        guard let url = address.url(path) else { throw .serverNotAllowed }
        do throws(TransportError) {
            let response = try await ports.transport.send(TransportRequest(url: url, body: body, timeout: timeout))
            ports.log?.note(LogEntry(kind: .request, name: path, outcome: "\(response.status)", session: nil))
            return response
        } catch {
            ports.log?.note(LogEntry(kind: .request, name: path, outcome: "\(error)", session: nil))
            throw OstiaryError(error)
        }
    }

    /// What an HTTP status without a message of ours means: busy or broken servers may recover, a refusal to read will not.
    static func error(forHTTP status: Int) -> OstiaryError {
        switch status {
        case 408, 425, 429, 500...599: .serverConnection
        default: .serverAnswer
        }
    }
}
