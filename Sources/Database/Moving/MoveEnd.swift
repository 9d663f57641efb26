/// One of the two databases of a move.
package struct MoveEnd: Sendable {
    let database: any Database
    /// How an operator names it on the command line.
    let url: String
    /// Which it is, in a sentence.
    let name: String
    /// Throws when a server is seen to have it open.
    package let checkAlone: @Sendable () async throws -> Void

    /// Leaves word that its rows are at a URL now. It changes none of them.
    let noteMoved: @Sendable (_ target: String) async throws -> Void
    /// Takes away such a word of before.
    let forgetMoved: @Sendable () async throws -> Void

    package init(
        _ database: any Database, url: String, name: String, noteMoved: @Sendable @escaping (_ target: String) async throws -> Void = { _ in },
        forgetMoved: @Sendable @escaping () async throws -> Void = {}, checkAlone: @Sendable @escaping () async throws -> Void = {}
    ) {
        (self.database, self.url, self.name, self.checkAlone) = (database, url, name, checkAlone)
        (self.noteMoved, self.forgetMoved) = (noteMoved, forgetMoved)
    }

    /// Works with it for an operator, who is told why it cannot be reached.
    package func tellingWhy<Value>(_ work: () async throws -> Value) async throws -> Value { try await database.tellingWhy(work) }

    package func close() async throws { try await database.close() }
}
