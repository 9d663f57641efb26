import Authentication
import OstiaryProtocol

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

extension FactorDemand {
    /// What a client asks for: a second factor of any age, because that there is one is what counts.
    init(for strengths: [LoginStrength]) {
        self = strengths.min().map { $0 > .device } == true ? .fresh(.max) : .policy
    }
}

extension Login {
    /// Whether it is as strong as one of those that a client asks for; where it asks for none, any is.
    func isStrongEnough(for asked: [LoginStrength]) -> Bool {
        guard let weakest = asked.min() else { return true }
        return LoginStrength(of: self) >= weakest
    }
}
