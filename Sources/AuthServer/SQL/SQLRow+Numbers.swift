import Database

/// Numbers of a type of the asker's, and what is stored as a number. Each accessor throws as those of ``SQLRow`` do.
///
/// They stand beside whoever reads by them, and not in Database: within one target the compiler makes a version of them for each type. One that is made for every
/// type looks the type up when it runs, which costs five times as much as all else of a column (docs/decisions/0057).
extension SQLRow {
    /// A number that the asked type holds; any other is an error.
    func number<Number: FixedWidthInteger>(_ column: StaticString, as _: Number.Type = Number.self) throws -> Number {
        guard let number = Number(exactly: try integer(column)) else { throw SQLError.outOfRange(column.description) }
        return number
    }

    func optionalNumber<Number: FixedWidthInteger>(_ column: StaticString, as _: Number.Type = Number.self) throws -> Number? {
        guard let integer = try optionalInteger(column) else { return nil }
        guard let number = Number(exactly: integer) else { throw SQLError.outOfRange(column.description) }
        return number
    }

    /// One of a few that are stored as numbers of a byte, or a set of such; any other number is an error.
    func choice<Choice: RawRepresentable<UInt8>>(_ column: StaticString, as _: Choice.Type = Choice.self) throws -> Choice {
        guard let choice = Choice(rawValue: try number(column)) else { throw SQLError.outOfRange(column.description) }
        return choice
    }

    func optionalChoice<Choice: RawRepresentable<UInt8>>(_ column: StaticString, as _: Choice.Type = Choice.self) throws -> Choice? {
        guard let number: UInt8 = try optionalNumber(column) else { return nil }
        guard let choice = Choice(rawValue: number) else { throw SQLError.outOfRange(column.description) }
        return choice
    }
}
