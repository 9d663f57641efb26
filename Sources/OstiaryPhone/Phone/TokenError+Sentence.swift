import OstiaryMobile

/// What an error of tokens means to whoever tries them, and how the command ends on it.
extension TokenError {
    /// The case, without what it carries.
    var name: String { String("\(self)".prefix { $0 != "(" }) }

    var sentence: String {
        switch self {
        case .notLoggedIn: "nobody is logged in with these options: ostiary phone token login"
        case .loginOver: "the provider ended this login: log in again"
        case .cancelled: "cancelled"
        case .denied: "the provider was told no"
        case .interactionRequired: "the provider has to ask the person: log in again"
        case .inProgress: "another login goes on"
        case .codeSpent: "the code was sent, and no good answer came: log in again"
        case .callback(let fault): "the browser came back with what is no answer to this login (\(fault.rawValue)): log in again"
        case .browserUnavailable: "no port of 127.0.0.1 is to be had for the browser to come back to"
        case .serverConnection: "the provider cannot be reached: try again later"
        case .serverBusy: "the provider cannot answer now: try again later"
        case .certificateUntrusted:
            "the provider's certificate is not trusted here: sign in to this network if it asks for that, check the clock, else tell the operator"
        case .serverAnswer: "the provider's answer cannot be understood"
        case .metadata(let fault): "what the provider says of itself is of no use here (\(fault.rawValue)): is --issuer spelled as it spells itself?"
        case .idToken(let fault): "the ID token is refused (\(fault.rawValue))"
        case .clockWrong: "this machine's clock is too far from the provider's: check it"
        case .refused(.unauthorizedClient):
            "the provider does not let this app log in this way (unauthorized_client): its operator adds the way to the app's grant_types"
        case .refused(.invalidScope), .refused(.invalidTarget):
            "the provider gives this app nothing like that: are --audience and --scope of those that it was registered with?"
        case .refused(.invalidClient): "the provider does not know this app (invalid_client): is --client-id what its operator registered?"
        case .refused(let code): "the provider refuses this app (\(code.rawValue)): ask its operator"
        case .accessTokenRefused:
            "the API refuses a token that was just made for it: is --audience its identifier, and --call its address as the API itself knows it?"
        case .settings(let fault): "the options cannot be (\(fault.rawValue))"
        case .storeUnavailable: "the phone's home cannot be read or written: --home names a folder of this user, on a disk with room"
        case .storeUnreadable:
            "the phone's home is damaged, or was written by a newer version: put it back, or move its tokens.json away and log in again"
        case .keyStore: "the phone's keys cannot be read or written"
        case .busy: "another command of this phone is at its tokens: try again later"
        }
    }

    var exit: PhoneExit {
        switch self {
        case .cancelled, .denied: .cancelledOrDenied
        case .codeSpent, .loginOver, .notLoggedIn, .callback, .interactionRequired: .codeOver
        case .serverConnection, .serverBusy: .serverUnreachable
        case .certificateUntrusted, .metadata, .idToken: .serverIdentity
        case .settings: .usage
        case .inProgress, .browserUnavailable, .serverAnswer, .clockWrong, .refused, .accessTokenRefused, .storeUnavailable, .storeUnreadable,
            .keyStore, .busy:
            .other
        }
    }
}
