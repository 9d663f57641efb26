/// The moment of an answer's field `Date` (RFC 9110 §5.6.7, IMF-fixdate): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Unix seconds; nil for another form, and for what is no day.
    static func seconds(_ text: String) -> UInt64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT" else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard let day = number(parts[1], 2), let month = months.firstIndex(where: { $0 == parts[2] }), let year = number(parts[3], 4),
            time.count == 3, let hour = number(time[0], 2), let minute = number(time[1], 2), let second = number(time[2], 2)
        else { return nil }
        guard (1...days(of: month, in: year)).contains(day), (1970...9999).contains(year), hour < 24, minute < 60, second <= 60 else { return nil }
        let before = (1970..<year).reduce(0) { $0 + (isLeap($1) ? 366 : 365) } + (0..<month).reduce(0) { $0 + days(of: $1, in: year) }
        return UInt64((before + day - 1) * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    private static func number(_ text: Substring, _ digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// - Parameter month: from 0.
    private static func days(of month: Int, in year: Int) -> Int { month == 1 ? (isLeap(year) ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31 }
}
