#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ResourcePorts {
    /// The computer's clock.
    @Sendable
    public static func systemTime() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }
}
