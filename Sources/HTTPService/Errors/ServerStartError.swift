import Foundation
import NIOCore

/// Why a server does not start to listen. Each is told to the operator as one line.
package enum ServerStartError: Error, Equatable, Sendable {
    case portInUse(name: String, address: ListenAddress)
    case notAllowed(name: String, address: ListenAddress)
    case cannotListen(name: String, address: ListenAddress, reason: String)
    /// Two listeners of this process are told to open one port.
    case onePort(_ first: String, _ second: String, address: ListenAddress)
    /// A socket that was handed over cannot be used.
    case handedSocket(reason: String)
    /// The system allows this process so few open files that nothing could be served.
    case tooFewDescriptors(limit: Int, needed: Int)

    init(_ error: IOError, name: String, address: ListenAddress) {
        self =
            switch error.errnoCode {
            case EADDRINUSE: .portInUse(name: name, address: address)
            case EACCES, EPERM: .notAllowed(name: name, address: address)
            case let code: .cannotListen(name: name, address: address, reason: String(cString: strerror(code)).lowercased())
            }
    }
}

extension ServerStartError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .portInUse(let name, let address):
            "cannot open the \(name) listener: \(address) is in use by another process; stop it or choose another port"
        case .notAllowed(let name, let address): "cannot open the \(name) listener: this user may not listen on \(address)"
        case .cannotListen(let name, let address, let reason): "cannot open the \(name) listener on \(address): \(reason)"
        case .onePort(let first, let second, let address):
            "the \(first) and the \(second) listener are both to open \(address): give each a port of its own"
        case .handedSocket(let reason): "cannot use the sockets that were handed over: \(reason)"
        case .tooFewDescriptors(let limit, let needed):
            "this process may open \(limit) files, and needs \(needed) at least: raise the limit (LimitNOFILE=, ulimit -Hn); 65536 is a good one"
        }
    }
}
