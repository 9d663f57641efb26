import Authentication
import OstiaryProtocol
import OstiaryTokens

/// How strongly a login shows who somebody is: what `acr` says, weakest first (protocol §6).
package enum LoginStrength: String, CaseIterable, Comparable, Sendable {
    /// The device's key alone.
    case device = "sf"
    /// A second factor besides it.
    case twoFactors = "mfa"
    /// Two factors, and the browser came back from the phone that it runs on: nobody else's browser can have been meant.
    case phishingResistant = "phr"

    package init(of login: Login) {
        if login.methods.isEmpty {
            self = .device
        } else if login.binding == .returnCode, login.returned != nil {
            self = .phishingResistant
        } else {
            self = .twoFactors
        }
    }

    package static func < (left: LoginStrength, right: LoginStrength) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .device: 0
        case .twoFactors: 1
        case .phishingResistant: 2
        }
    }
}

extension AuthenticationClaims {
    /// What happened and no more: a factor that was remembered is as old as its proof.
    package init(of login: Login) {
        let facts = AuthenticationFacts(of: login)
        self.init(time: facts.time ?? login.at, acr: LoginStrength(of: login).rawValue, amr: facts.amr)
    }
}
