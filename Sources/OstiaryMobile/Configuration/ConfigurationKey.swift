/// One setting that a configuration file may have. The table of them is what the parser, the reference page and the tests go by.
struct ConfigurationKey: Sendable {
    typealias Path<Value> = any (WritableKeyPath<Ostiary.Configuration, Value> & Sendable)

    /// What a setting takes, and where it goes.
    enum Kind: Sendable {
        case flag(Path<Bool>)
        case duration(Path<Duration>)
        case count(Path<Int>, ClosedRange<Int>)
        /// A text that goes into messages.
        case label(Path<String>)
        /// The beginning of a path.
        case pathPrefix(Path<String>)
        /// Only this value: the other one asks for something that Ostiary does not have.
        case only(Bool)
        /// A flag or a text that is read and changes nothing; the summary says why.
        case withoutEffect(isFlag: Bool)
        /// Would promise something that is not so; the summary says what to do instead.
        case refused
    }

    let name: String
    /// What older documents call it.
    var formerName: String?
    let kind: Kind
    /// One sentence for the reference page; for a refused setting also the end of the error.
    let summary: String

    /// A name as a property list has it: `NA` and the name with a large first letter.
    static func propertyListName(_ name: String) -> String { "NA" + name.prefix(1).uppercased() + name.dropFirst() }

    var names: [String] { [name] + (formerName.map { [$0] } ?? []) }
}
