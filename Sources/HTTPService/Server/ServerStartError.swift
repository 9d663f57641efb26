import Foundation
import NIOCore

/// Why a server does not start to listen. Each is told to the operator as one line.
package enum ServerStartError: Error, Equatable, Sendable {
    case portInUse(name: String, address: ListenAddress)
    case notAllowed(name: String, address: ListenAddress)
    case cannotListen(name: String, address: ListenAddress, reason: String)

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
        }
    }
}
