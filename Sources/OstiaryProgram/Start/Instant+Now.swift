import Foundation
import OstiaryProtocol

extension Instant {
    /// The wiring is where the clock is read.
    package static var now: Instant { Instant(UInt64(max(0, Date().timeIntervalSince1970))) }
}
