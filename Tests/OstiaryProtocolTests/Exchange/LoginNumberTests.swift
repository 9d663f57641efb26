import OstiaryProtocol
import Testing

@Suite struct LoginNumberTests {
    @Test("What can be typed as a number is three ASCII digits without a leading 0, and each value of the protocol is one")
    func texts() {
        for value in LoginNumber.values { #expect(LoginNumber.isOne(String(value))) }
        #expect(LoginNumber.values == 100...999)
        for text in ["", "1", "12", "099", "000", "1234", " 12", "12 ", "+12", "-12", "1.2", "１２３", "1２", "12\n"] {
            #expect(!LoginNumber.isOne(text), "\(text)")
        }
    }
}
