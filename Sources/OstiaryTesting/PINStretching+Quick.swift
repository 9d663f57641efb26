import Crypto
import OstiaryProtocol

extension PINStretching {
    /// A keyed hash of all that Argon2id would make it of, in microseconds and without its memory: for tests in which a PIN is right or wrong, and what it
    /// costs to guess it is not the point. A box that it made opens by no other stretching.
    package static let quick = PINStretching { (pin, salt, cost) throws(Argon2idError) in
        let costs = withUnsafeBytes(of: cost.memory.bigEndian) { Array($0) } + [cost.passes]
        let code = pin.withUnsafeBytes { HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: salt + costs)) }
        do throws(LockedMemoryError) { return try LockedBytes(copying: Array(code)) } catch { throw .outOfMemory }
    }
}
