import OstiaryProtocol

/// One id in 64 begins with “-”, which to the reader of a command line is an option. Here it is told from one.
package enum IDArguments {
    /// The options that take an id.
    private static let options: Set = ["--server", "--account"]

    /// The same arguments with each such id behind the “=” of its option, or at the end behind “--”.
    package static func told(in arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var (words, ids): ([String], [String]) = ([], [])
        for argument in arguments[..<end] {
            if !isID(argument) {
                words.append(argument)
            } else if let option = words.last, options.contains(option) {
                words[words.count - 1] = "\(option)=\(argument)"
            } else {
                ids.append(argument)
            }
        }
        let rest = ids + arguments[end...].dropFirst()
        return rest.isEmpty ? words : words + ["--"] + rest
    }

    /// Whether it is the text of 16 bytes. No option of ours is: a test looks at all of them.
    static func isID(_ argument: String) -> Bool {
        argument.hasPrefix("-") && argument.utf8.count == 22 && Base64URL.decode(argument)?.count == 16
    }
}
