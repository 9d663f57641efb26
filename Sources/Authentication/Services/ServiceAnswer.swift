/// What came of a call of a service behind a virtual server.
package enum ServiceAnswer: Equatable, Sendable {
    /// As they came; not yet whether they are what the call may bring.
    case bytes([UInt8])
    case trouble(ServiceTrouble)
}
