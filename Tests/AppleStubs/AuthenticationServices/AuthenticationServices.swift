// The names of Apple's AuthenticationServices that the SDK uses, with nothing behind them; see Security.swift.
import Foundation

/// A window.
open class ASPresentationAnchor: NSObject {}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }

    public let code: Code
}

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

@MainActor
open class ASWebAuthenticationSession: NSObject {
    public struct Callback: Sendable {
        public static func customScheme(_ customScheme: String) -> Callback { Callback() }
        public static func https(host: String, path: String) -> Callback { Callback() }
    }

    public typealias CompletionHandler = @MainActor (URL?, (any Error)?) -> Void

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false

    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

    open func start() -> Bool { false }
    open func cancel() {}
}
