import OstiaryProtocol

/// Why the second-factor server cannot be used now, in words for an operator. Nothing of it reaches a phone, to which all of it is "not now".
package enum SecondFactorTrouble: Error, Equatable, Sendable {
    /// The way there says no more.
    case noAnswer
    case refused, timeout, nameUnknown
    /// No secure connection: a certificate that is not trusted, or no TLS at the other end.
    case tls(String)
    case broken(String)
    case status(Int)
    /// What answers is no second-factor server: bytes that are none of its, or that nobody signed.
    case notOne
    /// A second-factor server with keys of its own, but not the one that is pinned: the hash of its root, 32 bytes.
    case another(found: [UInt8])
    /// The right root, and no key of it that is valid at this server's time, or no prekey.
    case keysNotValid
    /// What answers takes no calls of this server: it itself, or whoever is between, as nobody signs that.
    case distrust
    /// Its clock and ours are further apart than a message may travel.
    case clocks
    /// It trusts this server, and cannot write or sign: its disk takes nothing, the database is locked, its file was replaced or is damaged, or its
    /// operational key is over and the root key that certifies the next is withheld.
    case storage
    /// This server cannot sign what it asks.
    case ownKeys(String)
    /// The same, as its keys are gone from the database, or that does not answer.
    case ownKeysGone(String)
}

extension SecondFactorTrouble {
    /// What it means for logins, as the log has it.
    var line: String {
        self == .storage
            ? "the second-factor server has trouble with its storage, or its root key is withheld: logins with a PIN may fail"
            : "the second-factor server cannot be used: nobody logs in with a PIN"
    }

    /// Whether this server's clock may be what is wrong, where it is what an answer to a probe has shown: the other one says so, or the key that it signs with,
    /// or none of ours, is valid at that time.
    var contradictsClock: Bool {
        switch self {
        case .clocks, .keysNotValid, .ownKeys: true
        default: false
        }
    }
}

extension SecondFactorTrouble: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    package var description: String {
        switch self {
        case .noAnswer: "no answer: check OSTIARY_SECOND_FACTOR_URL, and that it runs"
        case .refused: "connection refused: start it, or check OSTIARY_SECOND_FACTOR_URL"
        case .timeout: "no answer in time: check network and firewall"
        case .nameUnknown: "its name is not known: check OSTIARY_SECOND_FACTOR_URL and the name service"
        case .tls(let detail): "no secure connection (\(detail)): check its certificate"
        case .broken(let detail): "the connection failed (\(detail)): check OSTIARY_SECOND_FACTOR_URL, http or https, and its log"
        case .status(let code) where code < 500:
            "what answers is no second-factor server, it has HTTP status \(code): check OSTIARY_SECOND_FACTOR_URL"
        case .status(let code): "it answers HTTP status \(code): look at its log and its /ready"
        case .notOne: "what answers is no second-factor server: check OSTIARY_SECOND_FACTOR_URL"
        case .another(let found):
            "another second-factor server answers, with the identity \(Base64URL.encode(found)): check OSTIARY_SECOND_FACTOR_URL and its database"
        case .keysNotValid:
            "its keys are not valid at this server's time: compare the clocks of both machines, and see whether something on the way answers for it with what it "
                + "said at another time"
        case .clocks: "its clock and this server's differ by more than two minutes: set both by one time service"
        case .storage:
            "its database does not serve (of a file a full disk or damage, of PostgreSQL a server that refuses, is silent or takes no writes), or its root key "
                + "is withheld: look at its /ready"
        case .ownKeys(let detail), .ownKeysGone(let detail): "this server cannot sign what it asks: \(detail)"
        case .distrust:
            "its calls are refused, by it or by something on the way (HTTP status 403 has no signature): OSTIARY_SF_TRUSTED_SERVERS there has to have this server's "
                + "identity, and a proxy between to let POST /sf/call pass"
        }
    }
}
