/// The commands of `ostiary` for which it becomes `ostiary-phone`.
package enum PhoneWords: String, CaseIterable, Sendable {
    case phone
    case demo

    /// What the help of either program says of it.
    package var abstract: String {
        switch self {
        case .phone: "A phone to enrol and log in with."
        case .demo: "Both servers, a website and a phone, on this machine, and what each of them knows."
        }
    }

    /// Whether a command line is for that program: its first word says so, or the one behind `help`.
    /// - Parameter arguments: without the name of the program.
    package static func begin(_ arguments: [String]) -> Bool {
        let word = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        return word.flatMap(Self.init(rawValue:)) != nil
    }
}
