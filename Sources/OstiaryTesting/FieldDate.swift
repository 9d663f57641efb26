import Foundation

/// The moment in an answer's field `Date` (RFC 9110 §5.6.7, IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`), by Foundation: what our programs write
/// is not read by what wrote it, nor the other way round.
package enum FieldDate {
    /// - Parameter seconds: in Unix seconds.
    package static func text(_ seconds: UInt64) -> String { formatter.string(from: Date(timeIntervalSince1970: Double(seconds))) }

    /// Nil where it is no such text.
    package static func date(_ text: String) -> Date? { formatter.date(from: text) }

    private static var formatter: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter
    }
}
