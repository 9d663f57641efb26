/// A day of the calendar as ISO 8601 writes it: `2026-11-26`, and no other way.
struct Day: Hashable, Sendable {
    let text: String

    /// - Returns: nil for what is no day, such as the 30th of February, or is not of the years 2000 to 2099.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), let year = Self.number(bytes[0..<4]),
            let month = Self.number(bytes[5..<7]), let day = Self.number(bytes[8..<10])
        else { return nil }
        guard (2000...2099).contains(year), (1...12).contains(month), (1...Self.length(of: month, in: year)).contains(day) else { return nil }
        self.text = text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { sum, digit in
            guard let sum, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            return sum * 10 + Int(digit - UInt8(ascii: "0"))
        }
    }

    /// Of the years above every fourth is a leap year.
    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
