import Database

extension MovableSchema {
    /// Of the authentication server. A virtual server has an id and a key, drawn when it was made.
    package static let authServer = MovableSchema(migrations: AuthenticationSchema.migrations, identifiedBy: ["server"])
}
