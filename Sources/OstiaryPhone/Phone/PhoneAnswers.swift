import OstiaryMobile

/// What the command line has answered already; everything else is asked of the person.
struct PhoneAnswers: Sendable {
    var yes = false
    var deny = false
    var notMe = false
    /// Id or user name of the account to log in with.
    var account: String?
    var userInput: String?
    /// What is shown where a waiting login was begun; nil to ask the person.
    var number: String?
    /// PINs come as lines from a script: asked once, never compared, no penalty waited out.
    var pinsAreLines = false
    /// A prompt for biometrics is answered by the simulated sensor before anybody is asked for a PIN.
    var usesBiometrics = false
    /// A one-time code is made when the server cannot be reached.
    var takesCode = false

    /// The account whose server is meant, of all on this phone; nil when none was named and there is only one server.
    func managed(among accounts: [Account]) throws(PhoneInputError) -> Account? {
        guard let account else {
            guard Set(accounts.filter { $0.state == .active }.map(\.serverIdentity)).count <= 1 else { throw .severalServers }
            return nil
        }
        guard let chosen = accounts.first(where: { $0.isCalled(account) }) else { throw .unknownAccount(account) }
        return chosen
    }

    /// The account that was named, or the only one, or with `--yes` the oldest; nil when the person has to choose.
    /// - Throws: `PhoneInputError.unknownAccount` when the one that was named was not offered.
    func choice(among accounts: [Account]) throws(PhoneInputError) -> Account? {
        if let account {
            guard let chosen = accounts.first(where: { $0.isCalled(account) }) else { throw .unknownAccount(account) }
            return chosen
        }
        return accounts.count == 1 || yes ? accounts.first : nil
    }
}

extension Account {
    func isCalled(_ name: String) -> Bool { id.rawValue == name || username == name || displayName == name }
}

/// What the person asked for that this phone cannot do.
enum PhoneInputError: Error, Equatable, CustomStringConvertible {
    case unknownAccount(String)
    case ambiguousAccount(String)
    case unknownSession(String)
    /// No account was named, and there is none.
    case noAccounts
    /// No account was named, and there are several.
    case severalAccounts
    /// No account was named, and there are some at several servers.
    case severalServers
    case needsAnswer
    /// Of `--input`.
    case unreadable(String)

    var description: String {
        switch self {
        case .unknownAccount(let name): "no account \(name) here: see ostiary phone accounts"
        case .ambiguousAccount(let name): "several accounts are called \(name): give the id that ostiary phone accounts shows"
        case .unknownSession(let id): "no session \(id) here: see ostiary phone sessions"
        case .noAccounts: "no accounts: enrol with ostiary phone enrol"
        case .severalAccounts: "this phone has several accounts: name the one that is meant, by the id that ostiary phone accounts shows"
        case .severalServers: "this phone has accounts at several servers: name one at the server that is meant (--account)"
        case .needsAnswer: "standard input is for PINs: give --yes, --deny or --not-me as well"
        case .unreadable(let path): "--input: \(path) cannot be read"
        }
    }
}
