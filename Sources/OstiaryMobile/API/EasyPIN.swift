/// The PINs that people choose before others: about a tenth of the six-digit ones. The rules read the digits in place and copy none.
enum EasyPIN {
    /// Whether a rule applies to these ASCII digits.
    static func includes(_ digits: UnsafeRawBufferPointer) -> Bool {
        guard digits.count > 1 else { return true }
        return isDate(digits) || hasTwoDigitsAtMost(digits) || isStaircase(digits) || hasRun(of: 4, digits) || isRepetition(digits)
            || isPalindrome(digits) || isPairs(digits) || isKeypadLines(digits)
    }

    private static func digit(_ digits: UnsafeRawBufferPointer, _ index: Int) -> Int { Int(digits[index]) - 48 }

    private static func number(_ digits: UnsafeRawBufferPointer, _ index: Int) -> Int {
        digit(digits, index) * 10 + digit(digits, index + 1)
    }

    /// DDMMYY, MMDDYY and YYMMDD; with a century of 19 or 20 also in eight digits.
    private static func isDate(_ digits: UnsafeRawBufferPointer) -> Bool {
        switch digits.count {
        case 6:
            isDay(number(digits, 0), month: number(digits, 2)) || isDay(number(digits, 2), month: number(digits, 0))
                || isDay(number(digits, 4), month: number(digits, 2))
        case 8:
            isCentury(number(digits, 4)) && isDay(number(digits, 0), month: number(digits, 2))
                || isCentury(number(digits, 4)) && isDay(number(digits, 2), month: number(digits, 0))
                || isCentury(number(digits, 0)) && isDay(number(digits, 6), month: number(digits, 4))
        default: false
        }
    }

    private static func isCentury(_ number: Int) -> Bool { number == 19 || number == 20 }

    private static func isDay(_ day: Int, month: Int) -> Bool {
        let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...12).contains(month) && (1...lengths[month - 1]).contains(day)
    }

    private static func hasTwoDigitsAtMost(_ digits: UnsafeRawBufferPointer) -> Bool {
        var seen = 0
        for index in 0..<digits.count { seen |= 1 << digit(digits, index) }
        return seen.nonzeroBitCount <= 2
    }

    /// Every step between neighbours is the same, around the ten: 012345, 024680, 987654.
    private static func isStaircase(_ digits: UnsafeRawBufferPointer) -> Bool {
        let step = (digit(digits, 1) - digit(digits, 0) + 10) % 10
        return (1..<digits.count).allSatisfy { (digit(digits, $0) - digit(digits, $0 - 1) + 10) % 10 == step }
    }

    /// `length` neighbours that all rise by one, all fall by one, or are all equal.
    private static func hasRun(of length: Int, _ digits: UnsafeRawBufferPointer) -> Bool {
        var (run, last) = (1, 10)
        for index in 1..<digits.count {
            let step = digit(digits, index) - digit(digits, index - 1)
            run = step == last ? run + 1 : 2
            last = step
            if abs(step) <= 1, run >= length { return true }
        }
        return false
    }

    /// The same block again and again: 123123, 474747.
    private static func isRepetition(_ digits: UnsafeRawBufferPointer) -> Bool {
        (1...digits.count / 2).contains { length in
            digits.count.isMultiple(of: length) && (length..<digits.count).allSatisfy { digits[$0] == digits[$0 - length] }
        }
    }

    private static func isPalindrome(_ digits: UnsafeRawBufferPointer) -> Bool {
        (0..<digits.count / 2).allSatisfy { digits[$0] == digits[digits.count - 1 - $0] }
    }

    /// Twins only: 112233.
    private static func isPairs(_ digits: UnsafeRawBufferPointer) -> Bool {
        digits.count.isMultiple(of: 2) && stride(from: 0, to: digits.count, by: 2).allSatisfy { digits[$0] == digits[$0 + 1] }
    }

    /// Whole lines of the keypad, either way: 147258, 159357.
    private static func isKeypadLines(_ digits: UnsafeRawBufferPointer) -> Bool {
        guard digits.count.isMultiple(of: 3) else { return false }
        return stride(from: 0, to: digits.count, by: 3).allSatisfy { start in
            let line = digit(digits, start) * 100 + digit(digits, start + 1) * 10 + digit(digits, start + 2)
            return keypadLines.contains(line)
        }
    }

    private static let keypadLines: Set<Int> = [
        123, 456, 789, 147, 258, 369, 159, 357, 321, 654, 987, 741, 852, 963, 951, 753,
    ]
}
