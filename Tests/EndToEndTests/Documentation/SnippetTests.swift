import Foundation
import Testing

@testable import OstiaryMobile

/// The small pieces of the pages do what the sentences around them say.
@Suite("Snippets of the documentation")
struct SnippetTests {
    @Test("A new PIN is asked for until it is no easy one and was typed twice the same")
    func pinTwice() async {
        let typed = ["123456", "274916", "274917", "835062", "835062"].map(Self.pin)
        var next = typed.makeIterator()
        var complaints = 0
        let chosen = await newPIN({ _ in next.next() ?? PIN() }, complain: { _ in complaints += 1 })
        #expect(chosen.matches(Self.pin("835062")))
        #expect(complaints == 2)
    }

    @Test("The example of a configuration file is one that the SDK takes")
    func configuration() throws {
        let configuration = try Ostiary.Configuration(json: Data(settings.utf8))
        #expect(configuration.singleAccount)
        #expect(configuration.appLoginInactivityTimeout == .seconds(900))
    }

    @Test("What stands above the PIN pad tells blocks, waits and used tries, and nothing before the first input")
    func tries() {
        func info(_ result: SecondFactorInfo.Result?, failed: Int = 0, blocked: Bool = false, wait: Int = 0) -> SecondFactorInfo {
            SecondFactorInfo(
                context: .verify, result: result, retry: false, blocked: blocked, maxAttempts: 5, failedAttempts: failed, penalisedFor: wait,
                showBiometrics: false)
        }
        #expect(words(about: info(nil)).isEmpty)
        #expect(words(about: info(.failed, failed: 2)) == "2 of 5 tries used")
        #expect(words(about: info(.failed, failed: 3, wait: 30)).contains("30 s"))
        #expect(words(about: info(.failed, failed: 5, blocked: true)).contains("enrol again"))
    }

    @Test("Thirty logins and thirty days are the advised limits of a biometric feature alone")
    func pinOnceInAWhile() {
        #expect(rememberedPIN().maxNumberSecondFactorWithoutPIN == 30)
        #expect(rememberedPIN().maxTimeSecondFactorWithoutPIN == .seconds(2_592_000))
    }

    private static func pin(_ digits: String) -> PIN {
        let pin = PIN()
        for digit in digits.utf8 { pin.append(digit: digit - UInt8(ascii: "0")) }
        return pin
    }
}
