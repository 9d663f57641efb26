import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("When a biometric feature is asked for")
struct BiometricConditionTests {
    @Test("S4-73 S4-80 of the 64 ways to meet and miss the six conditions exactly one shows biometrics: all of them together", arguments: 0..<64)
    func truthTable(_ bits: Int) {
        let condition = { (number: Int) in bits & 1 << number != 0 }
        let conditions = BiometricConditions(
            isStrong: condition(0), isEnrolled: condition(1), isAllowed: condition(2), isNoEnrolment: condition(3), isWithinNumber: condition(4),
            isWithinTime: condition(5))
        #expect(conditions.showBiometrics == (bits == 63))
    }

    private func conditions(
        _ availability: BiometricAvailability = .available, _ context: SecondFactorContext = .verify, use: StoredPINUse? = nil, now: UInt64 = 5_000,
        _ configure: (inout Ostiary.Configuration) -> Void = { _ in }
    ) -> BiometricConditions {
        var configuration = Ostiary.Configuration()
        configure(&configuration)
        return BiometricConditions(availability, configuration, context, use, now: Instant(now))
    }

    @Test("S4-74 S4-75 a sensor that is too weak, and one that nobody uses, miss their condition and no other")
    func availability() {
        #expect(conditions(.available).showBiometrics)
        #expect(!conditions(.none).isStrong && !conditions(.tooWeak).isStrong)
        #expect(conditions(.notEnrolled).isStrong && !conditions(.notEnrolled).isEnrolled)
        #expect(conditions(.notEnrolled).isWithinNumber && conditions(.notEnrolled).isWithinTime)
    }

    @Test("S4-76 S4-77 S4-88 biometricsDisabled and an enrolment each miss their condition")
    func allowed() {
        #expect(!conditions { $0.biometricsDisabled = true }.isAllowed)
        for context in SecondFactorContext.allCases {
            #expect(conditions(.available, context).isNoEnrolment == (context != .firstSet && context != .enrol))
        }
    }

    @Test("S4-78 S4-88 the number without a PIN is reached at the app's limit or the server's, whichever comes first; 0 is no limit")
    func number() {
        let use = StoredPINUse(lastPIN: 4_000, withoutPIN: 3, left: 2)
        #expect(conditions(use: use).isWithinNumber)
        #expect(conditions(use: use) { $0.maxNumberSecondFactorWithoutPIN = 4 }.isWithinNumber)
        #expect(!conditions(use: use) { $0.maxNumberSecondFactorWithoutPIN = 3 }.isWithinNumber)
        #expect(!conditions(use: StoredPINUse(lastPIN: 4_000, withoutPIN: 1, left: 0)) { $0.maxNumberSecondFactorWithoutPIN = 30 }.isWithinNumber)
    }

    @Test("S4-79 S4-88 the time without a PIN is reached at the limit, when the clock was set back, and when no PIN is known")
    func time() {
        let use = StoredPINUse(lastPIN: 4_000)
        let limited = { (use: StoredPINUse?, now: UInt64) in
            conditions(use: use, now: now) { $0.maxTimeSecondFactorWithoutPIN = .seconds(1_000) }.isWithinTime
        }
        #expect(limited(use, 4_999) && limited(use, 4_000))
        #expect(!limited(use, 5_000) && !limited(use, 3_999) && !limited(nil, 4_999))
        #expect(conditions(use: nil).isWithinTime)
    }
}
