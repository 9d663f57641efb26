import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import NIOPosix

/// Why a client's backend said no status, in words for an operator.
struct BackendSilence {
    let words: String

    /// - Parameters:
    ///   - patience: for which the call waited.
    ///   - isSecure: whether it was to speak TLS, whose errors have types of a library below.
    init(_ error: any Error, patience: TimeAmount, isSecure: Bool) {
        words =
            switch error {
            case HTTPClientError.deadlineExceeded, HTTPClientError.readTimeout, HTTPClientError.getConnectionFromPoolTimeout:
                "no answer in \(Self.seconds(patience)) seconds"
            case HTTPClientError.connectTimeout, ChannelError.connectTimeout: "could not connect"
            case let error as NIOConnectionError: error.connectionErrors.isEmpty ? "its name is not known" : "could not connect"
            case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode) ? Self.hungUp : "could not connect"
            case HTTPClientError.remoteConnectionClosed, HTTPParserError.invalidEOFState, is ChannelError: Self.hungUp
            case is HTTPParserError, is StatusError, HTTPClientError.httpEndReceivedAfterHeadWith1xx: "no HTTP answer"
            case HTTPClientError.tlsHandshakeTimeout: "no secure connection: no handshake in time"
            case let error as HTTPClientError: "the connection failed: \(error.shortDescription)"
            default: isSecure ? "no secure connection: \(error)" : "the connection failed: \(error)"
            }
    }

    private static let hungUp = "hung up before it answered"

    /// Without a fraction that is none.
    private static func seconds(_ patience: TimeAmount) -> String {
        let (whole, rest) = patience.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest == 0 ? "\(whole)" : "\(Double(patience.nanoseconds) / 1_000_000_000)"
    }
}
