/// Comma-separated values (RFC 4180): lines of fields, which may be in quotes.
enum CSV {
    struct Unreadable: Error { let line: Int }

    static func records(of text: String) throws(Unreadable) -> [[String]] {
        var (records, record, field): ([[String]], [String], String) = ([], [], "")
        var (line, isQuoted, wasQuoted) = (1, false, false)
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            if scalar == "\n" { line += 1 }
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"":
                scalars.removeFirst()
                field.unicodeScalars.append(scalar)
            case "\"" where isQuoted: (isQuoted, wasQuoted) = (false, true)
            case _ where isQuoted: field.unicodeScalars.append(scalar)
            case "\"" where field.isEmpty && !wasQuoted: isQuoted = true
            case ",":
                record.append(field)
                (field, wasQuoted) = ("", false)
            case "\r" where scalars.first == "\n": break
            case "\n":
                records.append(record + [field])
                (record, field, wasQuoted) = ([], "", false)
            case _ where wasQuoted || scalar == "\"": throw Unreadable(line: line)
            default: field.unicodeScalars.append(scalar)
            }
        }
        guard !isQuoted else { throw Unreadable(line: line) }
        // The last line may end without a break.
        if !record.isEmpty || !field.isEmpty || wasQuoted { records.append(record + [field]) }
        return records.filter { $0 != [""] }
    }
}
