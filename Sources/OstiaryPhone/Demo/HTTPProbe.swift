import Foundation

/// Asks an address whether it answers.
enum HTTPProbe {
    /// The status of a GET, or nil when nothing answered within five seconds.
    static func status(of url: URL) async -> Int? { try? await DemoCalls.send("GET", url.absoluteString, limit: .seconds(5)).status }
}
