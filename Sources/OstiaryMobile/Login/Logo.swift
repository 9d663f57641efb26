import Foundation
import OstiaryProtocol

/// The image that the server signed for a login (protocol §6). It comes by a call of its own, and no login waits long or fails for it.
extension Engine {
    private static let longestLogo = 64 * 1_024
    /// Seconds.
    private static let patienceForLogo = 3.0
    private static let mostLogos = 16

    /// The image, nil when there is none to show.
    func logo(_ id: Session.ID, _ question: Question) async throws(OstiaryError) -> Data? {
        guard let hash = question.shown.logoHash else { return nil }
        if let logo = logos[hash] { return logo }
        do throws(OstiaryError) {
            let logo = try await fetchLogo(hash, from: question.rootHash)
            if logos.count >= Self.mostLogos { logos = [:] }
            logos[hash] = logo
            return logo
        } catch {
            try checkNotAborted()
            emit(.error(.logoUnavailable, session: session(id)?.shown))
            return nil
        }
    }

    private func fetchLogo(_ hash: [UInt8], from rootHash: [UInt8]) async throws(OstiaryError) -> Data {
        let address = try await server(rootHash).address
        let response = try await call(address, "/ap1/logo/\(Base64URL.encode(hash))", body: nil, timeout: Self.patienceForLogo)
        guard response.status == 200, response.body.count <= Self.longestLogo, SHA(response.body) == hash
        else { throw .logoUnavailable }
        return Data(response.body)
    }
}
