import Database
import OstiaryProtocol

/// Instants and identifiers as columns. Each accessor throws as those of ``SQLRow`` do.
extension SQLRow {
    func instant(_ column: StaticString) throws -> Instant { Instant(try unsigned(column)) }
    func optionalInstant(_ column: StaticString) throws -> Instant? { try optionalUnsigned(column).map { Instant($0) } }

    func identifier<Kind>(_ column: StaticString, of _: Kind.Type = Kind.self) throws -> Identifier<Kind> {
        guard let identifier = Identifier<Kind>(try blob(column)) else { throw SQLError.outOfRange(column.description) }
        return identifier
    }

    func optionalIdentifier<Kind>(_ column: StaticString, of _: Kind.Type = Kind.self) throws -> Identifier<Kind>? {
        try isNull(column) ? nil : identifier(column)
    }
}

extension SQLValue {
    init(_ value: Instant?) { self.init(value?.seconds) }
    init<Kind>(_ value: Identifier<Kind>?) { self.init(value?.bytes) }
}
