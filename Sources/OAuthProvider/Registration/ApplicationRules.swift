import OstiaryProtocol
import OstiaryTokens

/// Why an application may not be written as it is.
package enum ApplicationRefusal: Error, Equatable, Sendable {
    /// A new one that no address has as it is. One of before keeps its name, by which its programs go.
    case idWrong
    case nameWrong, siteWrong
    /// A machine that anybody could say to be.
    case machineWithoutCredentials
    case secretMissing, keyMissing
    /// A grant type that is not for applications of this kind, or for none without credentials.
    case grantTypeWrong(GrantType)
    /// Refresh tokens, and no grant type that gives one.
    case refreshAlone
    case redirectMissing, redirectUnneeded, tooManyRedirects
    /// An address of apps, for an application that is none: a scheme of its own, or any port of this machine.
    case redirectWrong(String)
    /// One of before, which can be none any more.
    case redirectUnusable(String)
    case addressWrong(Address, String)
    case deliveryMissing
    case lifeWrong, idleLifeWrong
    /// What an application is stays: another kind is another application.
    case kindFixed
    /// An API, or a scope of one, that the server does not have.
    case apiUnknown(APIIdentifier)
    case scopeUnknown(APIIdentifier, Scope)

    /// What an address is for that is no redirect of codes.
    package enum Address: Sendable {
        case afterLogout, logoutNotice, ping
    }
}

/// What an operator may write of an application. Each rule is a function of its own; `check` runs them in order, and everything that writes one calls
/// it.
package enum ApplicationRules {
    static let mostRedirects = 50
    static let longestName = 80
    static let longestSite = 255

    package static func check(_ application: Application) throws(ApplicationRefusal) {
        try checkNames(application)
        try checkCredentials(application)
        try checkGrantTypes(application)
        try checkRedirects(application)
        try checkAddresses(application)
        try checkDelivery(application)
        try checkLife(application)
    }

    /// Name and site are shown on the phone, where a second line could look like one of the app's own, and a site that is none like whatever it says.
    private static func checkNames(_ application: Application) throws(ApplicationRefusal) {
        guard PlainLine.allowsName(application.name, cap: longestName) else { throw .nameWrong }
        guard application.siteURL.isEmpty || isSite(application.siteURL) else { throw .siteWrong }
    }

    /// https, or http to this very machine: what browsers are sent to is of the same kind.
    private static func isSite(_ text: String) -> Bool {
        text.utf8.count <= longestSite && (try? RedirectURI(registering: text, ofApp: false)) != nil
    }

    private static func checkCredentials(_ application: Application) throws(ApplicationRefusal) {
        switch application.authentication {
        case .none:
            guard application.kind != .machine else { throw .machineWithoutCredentials }
        case .basic, .post:
            guard !application.secrets.isEmpty else { throw .secretMissing }
        case .privateKeyJWT:
            guard !application.keys.keys.isEmpty else { throw .keyMissing }
        }
    }

    private static func checkGrantTypes(_ application: Application) throws(ApplicationRefusal) {
        // In an order, so that the same application is refused for the same reason.
        for type in GrantType.allCases where application.grantTypes.contains(type) {
            let isForMachines = type == .clientCredentials
            guard application.kind != .machine || isForMachines else { throw .grantTypeWrong(type) }
            let needsCredentials = isForMachines || type == .backchannel
            guard !needsCredentials || !application.isPublic else { throw .grantTypeWrong(type) }
        }
        let giving: Set<GrantType> = [.authorizationCode, .deviceCode, .backchannel]
        guard !application.grantTypes.contains(.refreshToken) || !application.grantTypes.isDisjoint(with: giving) else { throw .refreshAlone }
    }

    private static func checkRedirects(_ application: Application) throws(ApplicationRefusal) {
        let isNeeded = application.grantTypes.contains(.authorizationCode)
        guard !isNeeded || !application.redirectURIs.isEmpty else { throw .redirectMissing }
        guard isNeeded || application.redirectURIs.isEmpty else { throw .redirectUnneeded }
        guard application.redirectURIs.count <= mostRedirects else { throw .tooManyRedirects }
        if let former = application.redirectURIs.first(where: { $0.kind == .unusable }) { throw .redirectUnusable(former.text) }
        for redirect in application.redirectURIs where application.kind != .native {
            guard redirect.kind != .customScheme, redirect.kind != .loopback else { throw .redirectWrong(redirect.text) }
        }
    }

    private static func checkAddresses(_ application: Application) throws(ApplicationRefusal) {
        for address in application.postLogoutRedirectURIs.sorted() {
            guard (try? RedirectURI(registering: address, ofApp: application.kind == .native)) != nil else {
                throw .addressWrong(.afterLogout, address)
            }
        }
        if let address = application.backchannelLogoutURI { try checkBackend(address, .logoutNotice) }
        if case .ping(let address) = application.backchannel { try checkBackend(address, .ping) }
    }

    /// We call it.
    private static func checkBackend(_ address: String, _ use: ApplicationRefusal.Address) throws(ApplicationRefusal) {
        guard BackendAddress(address) != nil else { throw .addressWrong(use, address) }
    }

    private static func checkDelivery(_ application: Application) throws(ApplicationRefusal) {
        guard !application.grantTypes.contains(.backchannel) || application.backchannel != nil else { throw .deliveryMissing }
    }

    private static func checkLife(_ application: Application) throws(ApplicationRefusal) {
        guard application.refreshLife.absolute != 0 else { throw .lifeWrong }
        guard application.refreshLife.idle != 0 else { throw .idleLifeWrong }
    }
}
