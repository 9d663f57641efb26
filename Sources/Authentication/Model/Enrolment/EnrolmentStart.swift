import OstiaryProtocol

/// What a backend says to enrol somebody.
package struct EnrolmentStart: Sendable {
    package let nonce: SessionNonce
    /// The name that the phone shows.
    package let displayName: String
    /// The user that the account will belong to; nil leaves it alone.
    package let userID: String?
    package let purpose: EnrolmentPurpose
    /// SHA of the cookie of the page that begins it; nil for a backend that draws it itself.
    package let page: [UInt8]?
    /// Whether that page was opened just now. An older one ends nothing that another waits for.
    package let isNewest: Bool

    package init(
        nonce: SessionNonce, displayName: String, userID: String?, purpose: EnrolmentPurpose = .full, page: [UInt8]? = nil, isNewest: Bool = true
    ) {
        self.nonce = nonce
        self.purpose = purpose
        self.displayName = displayName
        self.userID = userID
        self.page = page
        self.isNewest = isNewest
    }

    /// Makes a headless account a full one, which keeps its name and its user.
    package init(upgrading account: AccountID, nonce: SessionNonce, page: [UInt8]? = nil, isNewest: Bool = true) {
        self.init(nonce: nonce, displayName: "", userID: nil, purpose: .upgrade(account), page: page, isNewest: isNewest)
    }

    func check() throws(EnrolmentStartError) {
        guard purpose.upgraded == nil else { return }
        guard PlainLine.allowsName(displayName, cap: 255) else { throw .badName }
        guard userID.map({ PlainLine.allowsName($0, cap: 255) }) ?? true else { throw .badUserID }
    }
}

/// Why an enrolment does not start.
package enum EnrolmentStartError: Error, Equatable, Sendable {
    /// Nothing to see, more than 255 bytes, or no plain line.
    case badName
    case badUserID
    /// An account that this nonce enrolled waits for its code.
    case confirming
    /// The nonce is the webNonce of an AppLogin.
    case webNonce
    /// The enrolment that goes on is of another page of this nonce, which is newer.
    case otherPage
    /// The page has enrolled its phone.
    case finished
    /// The nonce was logged out since the page began, or the account that it enrolled was blocked until its time was over: only its site begins anew.
    case siteOnly
    /// The account that waits for its code is blocked: the page that asks for it does not give it up for another phone.
    case accountBlocked
    /// The virtual server makes no account without a second factor.
    case headlessNotOffered
    /// There is no account of that id here that could become a full one.
    case accountUnknown
    /// The account has its second factor already.
    case accountIsFull
    /// The headless account waits for its own code.
    case accountPending
    /// The account that was to become a full one is blocked.
    case upgradeBlocked
}

extension EnrolmentStartError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badName: "name has 1 to 255 bytes on one line, something to see, and no control or direction characters"
        case .badUserID: "userid has 1 to 255 bytes on one line, something to see, and no control or direction characters"
        case .confirming: "a phone waits for its code; type it where it was asked for, or wait until it is too old"
        case .webNonce: "the webNonce of an app cannot enrol: send a nonce of your own"
        case .otherPage: "a newer page adds this phone; go on there, or start again from the site"
        case .finished: "this page has added its phone"
        case .siteOnly: "this page is over; start again from the site"
        case .accountBlocked: "the account that waits for its code is blocked; start again from the site"
        case .headlessNotOffered: "this server enrols no accounts without a second factor"
        case .accountUnknown: "this server has no such account"
        case .accountIsFull: "the account has a second factor already"
        case .accountPending: "the account waits for its code, and is none before"
        case .upgradeBlocked: "the account is blocked"
        }
    }
}
