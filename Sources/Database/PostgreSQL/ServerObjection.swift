/// Why nothing is kept at a server, and what an operator does about it. They are apart, since of several hosts with one and the same each is told once, and
/// what to do is never cut.
struct ServerObjection: Equatable {
    /// A line that is short: of several hosts each may have one.
    let cause: String
    /// Nil where the cause says it. It names no host.
    let remedy: String?

    init(_ cause: String, _ remedy: String? = nil) { (self.cause, self.remedy) = (cause, remedy) }

    /// As one line.
    var words: String { remedy.map { "\(cause): \($0)" } ?? cause }
}
