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
            case let error as HTTPClientError: Self.words(of: error, patience)
            case is TimeLimitPassed: Self.late(patience)
            case let error as NIOConnectionError: error.connectionErrors.isEmpty ? "its name is not known" : Self.unreached
            case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode) ? Self.hungUp : Self.unreached
            case ChannelError.connectTimeout: Self.unreached
            case HTTPParserError.invalidEOFState, is ChannelError: Self.hungUp
            case is HTTPParserError, is StatusError: Self.noHTTP
            default: isSecure ? "no secure connection: \(error)" : "the connection failed: \(error)"
            }
    }

    private static let unreached = "could not connect"
    private static let hungUp = "hung up before it answered"
    private static let noHTTP = "no HTTP answer"

    private static func words(of error: HTTPClientError, _ patience: TimeAmount) -> String {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout: late(patience)
        case .connectTimeout: unreached
        case .remoteConnectionClosed: hungUp
        case .tlsHandshakeTimeout: "no secure connection: no handshake in time"
        default: "the connection failed: \(error.shortDescription)"
        }
    }

    private static func late(_ patience: TimeAmount) -> String { "no answer in \(seconds(patience)) seconds" }

    /// Without a fraction that is none.
    private static func seconds(_ patience: TimeAmount) -> String {
        let (whole, rest) = patience.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest == 0 ? "\(whole)" : "\(Double(patience.nanoseconds) / 1_000_000_000)"
    }
}
