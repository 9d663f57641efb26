import CSodium
import Synchronization

/// Why locked memory could not be had or filled.
package enum LockedMemoryError: Error, Equatable, Sendable {
    /// libsodium did not start on this machine.
    case libraryUnavailable
    /// The system gave no memory.
    case outOfMemory
    /// More bytes than the capacity that was asked for; nothing was stored.
    case full
}

/// Bytes in memory that is guarded, kept out of swap where the system allows it, and wiped when it is let go (protocol §0.4).
///
/// The only home of a PIN and of what is stretched from it. One lock guards the contents, so any task may hold a reference;
/// `withUnsafeBytes` keeps the lock while its body runs: do not touch the same value inside.
package final class LockedBytes: Sendable {
    private let storage: Mutex<GuardedMemory>
    package let capacity: Int

    /// Empty, with room for `capacity` bytes.
    package init(capacity: Int) throws(LockedMemoryError) {
        storage = Mutex(try GuardedMemory(capacity: capacity))
        self.capacity = capacity
    }

    /// Full from the start: a copy of `bytes`, whose own memory stays the caller's concern.
    package convenience init(copying bytes: [UInt8]) throws(LockedMemoryError) {
        try self.init(capacity: bytes.count)
        try append(contentsOf: bytes)
    }

    package var count: Int { storage.withLock { $0.count } }
    package var isEmpty: Bool { count == 0 }

    package func append(_ byte: UInt8) throws(LockedMemoryError) {
        try append(contentsOf: CollectionOfOne(byte))
    }

    /// All of `bytes` or, when they do not fit, none.
    package func append(contentsOf bytes: some Collection<UInt8>) throws(LockedMemoryError) {
        try storage.withLock { (memory) throws(LockedMemoryError) in try memory.append(bytes) }
    }

    /// As long as the capacity, with contents that `body` writes into zeroed memory; wiped again when `body` throws.
    package func fill<Failure: Error>(_ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
        try storage.withLock { (memory) throws(Failure) in
            memory.shrink(to: 0)
            memory.count = memory.capacity
            do throws(Failure) {
                try body(UnsafeMutableRawBufferPointer(start: memory.base, count: memory.count))
            } catch {
                memory.shrink(to: 0)
                throw error
            }
        }
    }

    /// Wipes the last byte, if there is one.
    package func removeLast() {
        storage.withLock { memory in memory.shrink(to: max(0, memory.count - 1)) }
    }

    /// Wipes everything; the capacity stays.
    package func clear() {
        storage.withLock { memory in memory.shrink(to: 0) }
    }

    /// Lends the bytes to `body`; the pointer is dead afterwards.
    package func withUnsafeBytes<Result: Sendable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withLock { (memory) throws(Failure) in
            try body(UnsafeRawBufferPointer(start: memory.base, count: memory.count))
        }
    }

    /// Equality whose time depends on the lengths only. Locks are taken in one order, so two tasks may compare crosswise.
    package func matches(_ other: LockedBytes) -> Bool {
        guard self !== other else { return true }
        let inOrder = ObjectIdentifier(self) < ObjectIdentifier(other)
        return (inOrder ? self : other).withUnsafeBytes { left in
            (inOrder ? other : self).withUnsafeBytes { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
                return sodium_memcmp(first, second, left.count) == 0
            }
        }
    }
}

extension LockedBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// One allocation of libsodium, wiped with its one owner. It may cross tasks because nothing else holds its pointer.
private struct GuardedMemory: ~Copyable, @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int
    var count = 0

    init(capacity: Int) throws(LockedMemoryError) {
        guard Sodium.isReady else { throw .libraryUnavailable }
        guard capacity >= 0, let base = sodium_malloc(capacity) else { throw .outOfMemory }
        sodium_memzero(base, capacity)
        self.base = base
        self.capacity = capacity
    }

    deinit {
        sodium_memzero(base, capacity)
        sodium_free(base)
    }

    mutating func append(_ bytes: some Collection<UInt8>) throws(LockedMemoryError) {
        guard bytes.count <= capacity - count else { throw .full }
        for byte in bytes {
            base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
            count += 1
        }
    }

    mutating func shrink(to newCount: Int) {
        sodium_memzero(base + newCount, count - newCount)
        count = newCount
    }
}

/// The library behind the group, Argon2id and locked memory.
enum Sodium {
    /// Started once per process; false only where the system has no usable randomness.
    static let isReady: Bool = sodium_init() >= 0
}
