import OstiaryMobile

/// What a person reads when something did not work, and what they can do.
enum Complaint {
    static func sentence(for error: any Error) -> String {
        switch error {
        case let refusal as APIRefusal: refusal.sentence
        case let line as Command.NotUnderstood: "That was not understood: \(line.usage)"
        case let error as TokenError: sentence(for: error)
        default: "That did not work now. Try the same again later. (\(error))"
        }
    }

    private static func sentence(for error: TokenError) -> String {
        switch error.advice {
        case .logIn: "\(error == .notLoggedIn ? "Nobody is logged in." : "That login is over.") Log in again: login"
        case .retryLater: "That did not work now, and whoever is logged in still is. Try again later. (\(error))"
        case .askUser: "Is this device's clock right, and may this network be trusted? (\(error))"
        // Of a login that cannot be renewed: it was ended elsewhere.
        case .askDeveloper where error == .accessTokenRefused: "The API takes this login no more. Log in again: login"
        case .askDeveloper: "That cannot be mended here. Tell the people who made this app: \(error)"
        case .nothing: "As you wish."
        }
    }
}
