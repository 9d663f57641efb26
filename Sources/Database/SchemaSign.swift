/// By what it is known whose a database is. It changes nothing of it.
package enum SchemaSign: Equatable, Sendable {
    /// The name of the first step that it has.
    case firstStep(String)
    /// The names of its tables, which a role may read that has no right on any of them: the steps cannot be read.
    case tables(Set<String>)
}
