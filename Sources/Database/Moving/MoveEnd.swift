/// One of the two databases of a move.
package struct MoveEnd: Sendable {
    let database: any Database
    /// How an operator names it on the command line.
    let url: String
    /// Which it is, in a sentence.
    let name: String
    /// Throws when a server is seen to have it open.
    package let checkAlone: @Sendable () async throws -> Void

    package init(_ database: any Database, url: String, name: String, checkAlone: @Sendable @escaping () async throws -> Void = {}) {
        (self.database, self.url, self.name, self.checkAlone) = (database, url, name, checkAlone)
    }

    package func close() async throws { try await database.close() }
}
