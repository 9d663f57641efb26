import OstiaryMobile
import Synchronization

/// Stops a phone's process at its n-th step, as far as anybody else can tell: that step, before or after it had its effect, and every later one
/// gives no answer.
final class Tripwire: Sendable {
    private let left: Mutex<Int>
    private let isAfterEffect: Bool

    /// - Parameters:
    ///   - steps: how many steps succeed; `nil` for all.
    ///   - isAfterEffect: whether the step that fails has its effect.
    init(steps: Int?, isAfterEffect: Bool) {
        left = Mutex(steps ?? Int.max)
        self.isAfterEffect = isAfterEffect
    }

    var isTripped: Bool { left.withLock { $0 < 0 } }

    /// What becomes of the next step.
    func step() -> (hasEffect: Bool, isAnswered: Bool) {
        left.withLock { left in
            guard left > Int.min + 1 else { return (false, false) }
            left -= 1
            if left >= 0 { return (true, true) }
            return (left == -1 && isAfterEffect, false)
        }
    }
}

/// A transport whose every message is a step.
struct TrippedTransport: Transport {
    let base: any Transport
    let wire: Tripwire

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let (hasEffect, isAnswered) = wire.step()
        guard hasEffect else { throw .unreachable }
        let response = try await base.send(request)
        guard isAnswered else { throw .unreachable }
        return response
    }
}

/// An account store whose every change is a step.
struct TrippedAccountStore: AccountStore {
    let base: MemoryAccountStore
    let wire: Tripwire

    func read() throws(AccountStoreError) -> [UInt8]? {
        guard !wire.isTripped else { throw .unavailable }
        return try base.read()
    }

    func update(_ change: ([UInt8]?) -> [UInt8]?) throws(AccountStoreError) {
        let (hasEffect, isAnswered) = wire.step()
        guard hasEffect else { throw .unavailable }
        try base.update(change)
        guard isAnswered else { throw .unavailable }
    }
}

/// A key store whose every change is a step.
struct TrippedKeyStore: KeyStore {
    let base: MemoryKeyStore
    let wire: Tripwire

    func makeDeviceKey(named name: String) throws(KeyStoreError) -> [UInt8] {
        try stepping { () throws(KeyStoreError) in try base.makeDeviceKey(named: name) }
    }
    func store(_ secret: [UInt8], named name: String) throws(KeyStoreError) {
        try stepping { () throws(KeyStoreError) in try base.store(secret, named: name) }
    }
    func delete(named name: String) throws(KeyStoreError) { try stepping { () throws(KeyStoreError) in try base.delete(named: name) } }

    func publicKey(named name: String) throws(KeyStoreError) -> [UInt8] { try base.publicKey(named: name) }
    func secret(named name: String) throws(KeyStoreError) -> [UInt8] { try base.secret(named: name) }

    func sign(_ message: [UInt8], withKeyNamed name: String) throws(KeyStoreError) -> [UInt8] {
        try base.sign(message, withKeyNamed: name)
    }

    func makeBiometricKey(named name: String) throws(BiometricError) -> [UInt8] {
        let (hasEffect, isAnswered) = wire.step()
        guard hasEffect else { throw .unavailable }
        let key = try base.makeBiometricKey(named: name)
        guard isAnswered else { throw .unavailable }
        return key
    }

    func sign(_ message: [UInt8], withBiometricKeyNamed name: String, asking info: BiometricInfo) async throws(BiometricError) -> [UInt8] {
        try await base.sign(message, withBiometricKeyNamed: name, asking: info)
    }

    private func stepping<Value>(_ body: () throws(KeyStoreError) -> Value) throws(KeyStoreError) -> Value {
        let (hasEffect, isAnswered) = wire.step()
        guard hasEffect else { throw .unavailable }
        let value = try body()
        guard isAnswered else { throw .unavailable }
        return value
    }
}
