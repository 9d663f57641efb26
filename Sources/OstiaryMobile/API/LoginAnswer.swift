/// What the person gives with a yes to a login.
struct LoginAnswer: Sendable, Equatable {
    /// For the website's backend.
    var userInput = ""
    /// As whoever began the login shows it; empty where none is asked.
    var number = ""

    /// Whether it can be such a number: three digits, the first of which is none (protocol §6).
    var hasNumber: Bool {
        let digits = Array(number.utf8)
        return digits.count == 3 && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && digits[0] != UInt8(ascii: "0")
    }
}
