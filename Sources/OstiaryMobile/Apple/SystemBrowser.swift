#if canImport(AuthenticationServices)
import AuthenticationServices
import Foundation

/// The system's browser in a sheet over the app, which shares its logins with the browser of the person (`ASWebAuthenticationSession`).
///
/// Type-checked against stubs of Apple's frameworks; never run on a device.
public struct SystemBrowser: WebBrowser {
    private let isPrivate: Bool
    private let window: @MainActor @Sendable () -> ASPresentationAnchor

    /// - Parameters:
    ///   - isPrivate: whether it knows nobody from before, and forgets who was logged in.
    ///   - window: over which the sheet is shown.
    public init(isPrivate: Bool = false, over window: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.isPrivate = isPrivate
        self.window = window
    }

    /// - Parameter redirectURL: with a scheme of the app, or an https address that is associated with it.
    public func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit {
        guard let scheme = redirectURL.scheme?.lowercased(), scheme != "http" else { throw .unavailable }
        guard scheme != "https" || redirectURL.host != nil else { throw .unavailable }
        return SystemVisit(redirectURL: redirectURL, isPrivate: isPrivate, window: window)
    }
}

private struct SystemVisit: BrowserVisit {
    let redirectURL: URL
    let isPrivate: Bool
    let window: @MainActor @Sendable () -> ASPresentationAnchor

    func open(_ url: URL) async throws(BrowserError) -> URL {
        let sheet = await BrowserSheet(over: window)
        return try await sheet.outcome(of: url, backTo: redirectURL, isPrivate: isPrivate).get()
    }
}

/// One sheet, from its start to the one moment at which it is over.
@MainActor
private final class BrowserSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let window: @MainActor @Sendable () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?
    private var waiting: CheckedContinuation<Result<URL, BrowserError>, Never>?

    init(over window: @escaping @MainActor @Sendable () -> ASPresentationAnchor) { self.window = window }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window() }

    func outcome(of url: URL, backTo redirectURL: URL, isPrivate: Bool) async -> Result<URL, BrowserError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting = continuation
                let session = ASWebAuthenticationSession(url: url, callback: Self.callback(of: redirectURL)) { [weak self] url, error in
                    self?.end(url.map { .success($0) } ?? .failure(Self.reason(error)))
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isPrivate
                self.session = session
                if Task.isCancelled { end(.failure(.cancelled)) } else if !session.start() { end(.failure(.unavailable)) }
            }
        } onCancel: {
            Task { @MainActor in
                self.session?.cancel()
                self.end(.failure(.cancelled))
            }
        }
    }

    /// The first end counts.
    private func end(_ outcome: Result<URL, BrowserError>) {
        waiting?.resume(returning: outcome)
        (waiting, session) = (nil, nil)
    }

    private static func callback(of url: URL) -> ASWebAuthenticationSession.Callback {
        guard url.scheme?.lowercased() == "https", let host = url.host else { return .customScheme(url.scheme ?? "") }
        return .https(host: host, path: url.path)
    }

    private static func reason(_ error: (any Error)?) -> BrowserError {
        (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin ? .cancelled : .unavailable
    }
}
#endif
