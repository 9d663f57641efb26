import Foundation
import Synchronization

/// The time as `Date` headers have it (RFC 9110 §5.6.7), made once a second.
enum HTTPDate {
    /// Bytes of a date, whichever it is: years have four digits.
    static let length = 29

    private static let cache = Mutex((second: time_t.min, text: ""))

    static var now: String {
        var second = time(nil)
        return cache.withLock { cache in
            if cache.second != second { cache = (second, text(of: &second)) }
            return cache.text
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, in whatever language the system speaks.
    static func text(of second: inout time_t) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var parts = tm()
        gmtime_r(&second, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year)"
        return "\(days[Int(parts.tm_wday)]), \(date) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
