import Database
import OstiaryProtocol

/// Instants and identifiers as columns. Each accessor throws as those of ``SQLRow`` do.
extension SQLRow {
    func instant(_ column: String) throws -> Instant { Instant(try unsigned(column)) }
    func optionalInstant(_ column: String) throws -> Instant? { try optionalUnsigned(column).map { Instant($0) } }

    func identifier<Kind>(_ column: String, of _: Kind.Type = Kind.self) throws -> Identifier<Kind> {
        guard let identifier = Identifier<Kind>(try blob(column)) else { throw SQLError.outOfRange(column) }
        return identifier
    }

    func optionalIdentifier<Kind>(_ column: String, of _: Kind.Type = Kind.self) throws -> Identifier<Kind>? {
        try isNull(column) ? nil : identifier(column)
    }
}

extension SQLValue {
    init(_ value: Instant?) { self.init(value?.seconds) }
    init<Kind>(_ value: Identifier<Kind>?) { self.init(value?.bytes) }
}
