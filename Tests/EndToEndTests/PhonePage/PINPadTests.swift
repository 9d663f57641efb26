import OstiaryMobile
import Testing

@testable import OstiaryPhone

@Suite("The PIN pad of the phone page")
struct PINPadTests {
    /// What is handed over at the end of these keys, as what it is equal to.
    private func typed(_ keys: String, on pad: inout PINPad) -> PIN? {
        var handed: PIN?
        for key in keys {
            let key: PINPad.Key? =
                switch key {
                case "<": .back
                case "c": .clear
                case "!": .enter
                default: PINPad.Key(String(key))
                }
            guard let key else { continue }
            handed = pad.press(key) ?? handed
        }
        return handed
    }

    private func pin(_ digits: String) -> PIN {
        let pin = PIN()
        for digit in digits.utf8 { pin.append(digit: digit - 48) }
        return pin
    }

    @Test("Digits are handed over once, at Enter, and the pad is empty then")
    func handsOver() throws {
        var pad = PINPad(isNew: false)
        #expect(typed("27491", on: &pad) == nil)
        #expect(pad.count == 5)
        let handed = try #require(typed("6!", on: &pad))
        #expect(handed.matches(pin("274916")))
        #expect(pad.count == 0 && pad.complaint == nil)
        #expect(typed("!", on: &pad) == nil)
    }

    @Test("Delete takes the last digit, and clear takes all")
    func corrects() throws {
        var pad = PINPad(isNew: false)
        #expect(try #require(typed("2748<916!", on: &pad)).matches(pin("274916")))
        #expect(try #require(typed("999c274916!", on: &pad)).matches(pin("274916")))
        #expect(typed("1<<<", on: &pad) == nil)
        #expect(pad.count == 0)
    }

    @Test("Too few digits, and too many, are told and handed to nobody: no other PIN is tried than was typed")
    func lengths() {
        var pad = PINPad(isNew: false)
        for keys in ["1234!", "1234567890123!", "12345678901234!"] {
            #expect(typed(keys, on: &pad) == nil)
            #expect(pad.complaint == .length && pad.count == 0)
        }
        // The thirteenth cannot be taken back by one key, because it does not stand there.
        #expect(typed("1234567890123<", on: &pad) == nil)
        #expect(pad.count == 0)
        #expect(typed("123456789012!", on: &pad)?.matches(pin("123456789012")) == true)
    }

    @Test("A PIN that is entered may be easy to guess: it is the one that counts")
    func easyIsEntered() {
        var pad = PINPad(isNew: false)
        #expect(typed("123456!", on: &pad) != nil)
    }

    @Test("A new PIN is typed twice, and handed over when both are the same")
    func twice() throws {
        var pad = PINPad(isNew: true)
        #expect(typed("274916!", on: &pad) == nil)
        #expect(pad.isAgain && pad.count == 0)
        #expect(try #require(typed("274916!", on: &pad)).matches(pin("274916")))
        #expect(!pad.isAgain)
    }

    @Test("Two that differ are told, and both are gone")
    func differ() {
        var pad = PINPad(isNew: true)
        #expect(typed("274916!274917!", on: &pad) == nil)
        #expect(pad.complaint == .differ && !pad.isAgain && pad.count == 0)
        // Neither of them counts as the first of the next two.
        #expect(typed("274916!", on: &pad) == nil)
        #expect(pad.isAgain && pad.complaint == nil)
    }

    @Test("A new PIN that is easy to guess is not asked for a second time")
    func easyIsNotChosen() {
        var pad = PINPad(isNew: true)
        #expect(typed("123456!", on: &pad) == nil)
        #expect(pad.complaint == .easy && !pad.isAgain)
    }

    @Test("Wiped, nothing is left of it")
    func wipes() {
        var pad = PINPad(isNew: true)
        _ = typed("274916!2749", on: &pad)
        pad.wipe()
        #expect(pad.count == 0 && !pad.isAgain && pad.complaint == nil)
        #expect(typed("274916!", on: &pad) == nil)
        #expect(pad.isAgain)
    }

    @Test("Keys have ten digits and three names", arguments: ["", "10", "-1", "a", "Enter", "٣", "\n", "7 "])
    func keys(_ name: String) {
        #expect(PINPad.Key(name) == nil)
        #expect(PINPad.Key("0") == .digit(0) && PINPad.Key("9") == .digit(9) && PINPad.Key("back") == .back)
    }
}
