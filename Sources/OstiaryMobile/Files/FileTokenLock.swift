#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock of the file system beside the documents of a home. It is free again at the moment in which its process ends, however that ends.
///
/// Not for an app that its system suspends: see ``LeasedTokenLock``.
public struct FileTokenLock: TokenLock {
    private final class Held: HeldTokenLock {
        private let file: Int32

        init(_ file: Int32) { self.file = file }

        /// Where it was let go already there is nothing to do.
        func release() { _ = flock(file, LOCK_UN) }

        deinit { close(file) }
    }

    private let path: String

    /// - Parameter home: the folder that the documents lie in.
    public init(home: String) { path = "\(home)/tokens.turn" }

    public func take() throws(AccountStoreError) -> (any HeldTokenLock)? {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .unavailable }
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            close(file)
            guard reason == EWOULDBLOCK else { throw .unavailable }
            return nil
        }
        return Held(file)
    }
}
