import AuthServer
import Database
import HTTPService
import SecondFactorServer

/// Which of the two servers a database is of, and what an operator has to know of it.
enum ServerKind: Int, CaseIterable {
    case authentication, secondFactor

    var name: String { self == .authentication ? "authentication server" : "second-factor server" }
    var command: String { self == .authentication ? "ostiary serve" : "ostiary second-factor" }
    var urlSetting: String { self == .authentication ? "OSTIARY_DATABASE_URL" : "OSTIARY_SF_DATABASE_URL" }
    var keySetting: String { self == .authentication ? "OSTIARY_KEK_FILE" : "OSTIARY_SF_KEK_FILE" }
    /// What its database holds.
    var schema: MovableSchema { self == .authentication ? .authServer : .secondFactorServer }
    /// Of its database in a data folder, without its end.
    var fileName: String { self == .authentication ? StorageSettings.authServerFileName : StorageSettings.secondFactorServerFileName }
    /// The same of the other server.
    var otherFileName: String { self == .authentication ? Self.secondFactor.fileName : Self.authentication.fileName }
}
