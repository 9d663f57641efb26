import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("PIN")
struct PINTests {
    @Test("S4-71 a PIN takes digits one by one, forgets the last or all of them, and never shows them")
    func takesDigits() {
        let pin = PIN("12345")
        #expect(pin.count == 5)
        pin.removeLast()
        #expect(pin.count == 4)
        pin.append(digit: 10)
        #expect(pin.count == 4, "only 0 to 9 is a digit")
        pin.clear()
        #expect(pin.count == 0)
        pin.removeLast()
        #expect(pin.count == 0)
        for _ in 0..<20 { pin.append(digit: 7) }
        #expect(pin.count == PIN.mostDigits)
        #expect("\(pin)" == "‹secret›")
        #expect(String(reflecting: pin) == "‹secret›")
        #expect(Mirror(reflecting: pin).children.isEmpty)
    }

    @Test("S4-71 what the SDK copied is wiped with its last owner and does not follow the app's PIN")
    func copyIsIndependent() throws {
        let pin = PIN("314159")
        let copy = try pin.copy()
        pin.clear()
        #expect(copy.count == 6)
        copy.clear()
        #expect(copy.withUnsafeBytes { bytes in bytes.allSatisfy { $0 == 0 } })
    }

    @Test("Two PINs are compared without a detour over their digits")
    func compares() {
        #expect(PIN("271828").matches(PIN("271828")))
        #expect(!PIN("271828").matches(PIN("271829")))
        #expect(!PIN("271828").matches(PIN("27182")))
    }

    @Test(
        "S4-72 dates, runs, repeats, pairs, palindromes and keypad lines are easy to guess",
        arguments: [
            "000000", "123456", "987654", "112233", "121212", "123123", "010190", "123199", "900101", "147258", "159357", "123321", "246802",
            "12345", "55555", "20011231", "31121999", "4444444", "909090909090", "112345", "122211", "5", "",
        ])
    func easy(_ digits: String) { #expect(PIN(digits).isEasyToGuess) }

    @Test("S4-72 other PINs are not", arguments: ["271828", "804273", "58203", "9173", "7305926184", "460982", "736041", "14782", "1478"])
    func notEasy(_ digits: String) { #expect(!PIN(digits).isEasyToGuess) }

    @Test("S4-72 the rules cover about a tenth of the six-digit PINs")
    func share() {
        var easy = 0
        var all = 0
        for number in stride(from: 0, to: 1_000_000, by: 7) {
            let digits = (0..<6).map { UInt8(48 + number / [100_000, 10_000, 1_000, 100, 10, 1][$0] % 10) }
            if digits.withUnsafeBytes({ EasyPIN.includes($0) }) { easy += 1 }
            all += 1
        }
        let share = Double(easy) / Double(all)
        #expect((0.08...0.12).contains(share), "\(share)")
    }
}
