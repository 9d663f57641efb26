import Database

extension MovableSchema {
    /// Of the second-factor server, which has one root key for good.
    package static let secondFactorServer = MovableSchema(migrations: secondFactorMigrations, identifiedBy: ["own_root"])
}
