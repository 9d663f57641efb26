import Hummingbird
import NIOCore

/// One port and what answers on it.
package struct Listener: Sendable {
    /// `public` or `private`, for log and errors, and the name of a socket that is handed over for it.
    package let name: String
    package let address: ListenAddress
    /// The socket that was handed over for it; it counts instead of the address.
    package let socket: HandedSocket?
    let responder: any HTTPResponder<ServiceRequestContext>
    let limits: ServiceLimits
    /// Whether its routes take the processor for long: then they are answered elsewhere than on the threads of connections.
    let computes: Bool
    /// Answers some requests before the routes.
    let early: EarlyAnswer?

    /// - Parameters:
    ///   - router: with ``Hummingbird/Router/addServiceMiddleware(limits:)`` before its routes.
    ///   - computes: whether its routes take the processor for long, as those do by which one person's phone stretches a PIN. Those of a server do not:
    ///     what is long among them is done ``aside(_:)``.
    ///   - early: answers some requests before the routes, as they would; nil where all are theirs. Not where connections give way
    ///   (``ConnectionLimits/givesWay``): whoever is answered early would be taken for one that is silent.
    package init(
        _ name: String, at address: ListenAddress, socket: HandedSocket? = nil, router: Router<ServiceRequestContext>,
        limits: ServiceLimits = .standard, computes: Bool = false, early: EarlyAnswer? = nil
    ) {
        precondition(early == nil || !limits.connections.givesWay, "who is answered early would give way")
        self.name = name
        self.address = address
        self.socket = socket
        self.responder = MethodRules(router)
        self.limits = limits
        self.computes = computes
        self.early = early
    }
}

/// A listener that is open.
package struct BoundListener: Sendable, Equatable {
    package let name: String
    /// With the port that the system chose if port 0 was asked for.
    package let address: ListenAddress
}

extension Router<ServiceRequestContext> {
    /// What every router has in front of its routes: errors become answers, sizes are bounded. Call it before the first route.
    /// - Parameters:
    ///   - proxies: whose word is taken for where a request comes from.
    ///   - untrusted: hears that somebody else gives theirs; nil where no proxy is expected.
    ///   - outages: whether a fault passes by itself, a full disk for example. It may look before it answers.
    ///   - told: what the log says instead of such a fault: the same with its reason.
    package func addServiceMiddleware(
        limits: ServiceLimits = .standard, proxies: TrustedProxies = .none, untrusted: UntrustedForwarding? = nil,
        outages: @Sendable @escaping (any Error) async -> Bool = { _ in false }, told: @Sendable @escaping (any Error) -> any Error = { $0 }
    ) {
        if proxies != .none || untrusted != nil { add(middleware: ProxyMiddleware(proxies: proxies, untrusted: untrusted)) }
        add(middleware: ErrorMiddleware(outages: outages, told: told))
        add(middleware: LimitMiddleware(limits))
    }
}
