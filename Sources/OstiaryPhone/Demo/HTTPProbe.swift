import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks an address whether it answers.
enum HTTPProbe {
    /// The status of a GET, or nil when nothing answered within five seconds.
    static func status(of url: URL) async -> Int? {
        var request = URLRequest(url: url, timeoutInterval: 5)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        guard let (_, response) = try? await URLSession.shared.data(for: request) else { return nil }
        return (response as? HTTPURLResponse)?.statusCode
    }
}
