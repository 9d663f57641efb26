import Foundation

/// Why a browser did not come back.
public enum BrowserError: Error, Sendable, Hashable {
    /// The person closed it.
    case cancelled
    /// There is none, or it cannot be opened now.
    case unavailable
}

/// The system's browser, in which a person logs in at a provider (RFC 8252): never a web view of the app, which could read what is typed.
///
/// A visit is begun before the address is known that is opened, because on a computer the address by which the browser comes back has a port that is only then
/// known.
public protocol WebBrowser: Sendable {
    /// Gets ready for one visit.
    /// - Parameter redirectURL: as the provider has it registered: a scheme of the app, an https address of its own, or `http://127.0.0.1/…` without a port.
    func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit
}

/// One visit, from an address to the way back; it is used once.
public protocol BrowserVisit: Sendable {
    /// By which the browser comes back: that which was asked for, or with the port at which somebody waits.
    var redirectURL: URL { get }

    /// Opens an address, and waits until the browser came back.
    /// - Returns: the address by which it came, with its query. Nothing of it was looked at.
    func open(_ url: URL) async throws(BrowserError) -> URL
}
