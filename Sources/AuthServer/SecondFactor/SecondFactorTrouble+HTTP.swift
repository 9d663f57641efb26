import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOPosix

extension SecondFactorTrouble {
    /// What a failed call was about, as far as the client tells.
    /// - Parameter isSecure: whether it was to speak TLS, whose errors have types of a library below.
    init(of error: any Error, isSecure: Bool) {
        switch error {
        case let error as SecondFactorTrouble: self = error
        case is TimeLimitPassed: self = .timeout
        case is ResponseAccumulator.ResponseTooBigError: self = .notOne
        case let error as StatusError: self = .status(error.status)
        case let error as HTTPClientError: self.init(client: error)
        case let error as NIOConnectionError: self.init(connection: error)
        case let error as IOError: self.init(error)
        case let error as ChannelError: self = error.isTimeout ? .timeout : .broken("\(error)")
        default: self = isSecure ? .tls(String(describing: error)) : .broken(String(describing: error))
        }
    }

    private init(client error: HTTPClientError) {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: self = .timeout
        case .tlsHandshakeTimeout: self = .tls("no handshake in time")
        default: self = .broken(error.shortDescription)
        }
    }

    /// Each address of the name was tried, or there is none.
    private init(connection error: NIOConnectionError) {
        guard let first = error.connectionErrors.first?.error else {
            self = .nameUnknown
            return
        }
        switch first {
        case let first as IOError: self.init(first)
        case let first as ChannelError where first.isTimeout: self = .timeout
        default: self = .broken(String(describing: first))
        }
    }

    private init(_ error: IOError) {
        switch error.errnoCode {
        case ECONNREFUSED: self = .refused
        case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: self = .timeout
        case let code: self = .broken(String(cString: strerror(code)).lowercased())
        }
    }
}

extension ChannelError {
    fileprivate var isTimeout: Bool {
        if case .connectTimeout = self { true } else { false }
    }
}
