import Foundation

/// A lock that is written down in a document which the app and its extensions share, with the moment at which it is over by itself.
///
/// For systems that suspend an app in the middle of a call: one that holds a lock of the file system then keeps everybody else out, and iOS ends it for that.
/// A lease that is over is taken by the next who asks.
public struct LeasedTokenLock: TokenLock {
    /// Seconds after which somebody else may take it: longer than a refresh over a network that is just alive.
    public static let life: UInt64 = 60

    private struct Lease: Codable {
        let holder: UUID
        /// Unix seconds.
        let until: UInt64

        init(holder: UUID, until: UInt64) {
            self.holder = holder
            self.until = until
        }

        /// Nil where nobody holds it.
        init?(_ document: [UInt8]?) {
            guard let document, let lease = try? JSONDecoder().decode(Self.self, from: Data(document)) else { return nil }
            self = lease
        }
    }

    private struct Held: HeldTokenLock {
        let lock: LeasedTokenLock
        let holder: UUID

        func release() {
            try? lock.store.update { old in Lease(old)?.holder == holder ? [] : nil }
        }
    }

    private let store: any AccountStore
    private let clock: any DeviceClock

    /// - Parameters:
    ///   - store: of its own; every process of the app is given the same.
    ///   - clock: by which a lease ends.
    public init(in store: any AccountStore, clock: any DeviceClock = SystemClock()) {
        self.store = store
        self.clock = clock
    }

    public func take() throws(AccountStoreError) -> (any HeldTokenLock)? {
        let (now, holder) = (clock.wall, UUID())
        var isTaken = false
        try store.update { old in
            isTaken = false
            // One that ends later than any that was begun by now is of a clock that was set back since.
            if let lease = Lease(old), lease.until > now, lease.until <= now + Self.life { return nil }
            guard let new = try? JSONEncoder().encode(Lease(holder: holder, until: now + Self.life)) else { return nil }
            isTaken = true
            return Array(new)
        }
        return isTaken ? Held(lock: self, holder: holder) : nil
    }
}
