import OstiaryMobile
import OstiaryProtocol
import Synchronization

extension Ports {
    /// Lets a phone stretch each PIN once, by Argon2id, and remember what came out. What it sends is what every phone sends; but a crowd of phones on the
    /// machine of its servers does not fill their caches with 32 MiB for each login, as no crowd of phones does.
    ///
    /// A phone of people never remembers it: what it keeps is as good as a PIN (decision 0033).
    mutating func stretchAhead() {
        let remembered = Remembered()
        stretching = PINStretching { (pin, salt, cost) throws(Argon2idError) in
            let key = pin.withUnsafeBytes { Array($0) } + salt
            let known = remembered.bytes.withLock { $0[key] }
            do throws(LockedMemoryError) {
                if let known { return try LockedBytes(copying: known) }
            } catch { throw .outOfMemory }
            let made = try Argon2id.stretch(pin, salt: salt, cost, count: 32)
            let bytes = made.withUnsafeBytes { Array($0) }
            remembered.bytes.withLock { $0[key] = bytes }
            return made
        }
    }
}

/// What came out, by PIN and salt.
private final class Remembered: Sendable {
    let bytes = Mutex<[[UInt8]: [UInt8]]>([:])
}
