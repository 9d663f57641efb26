import OstiaryProtocol

/// What a backend says when it begins a login: what the person is shown on the phone, and what is only noted. Only values that may travel get in here.
package struct UserContext: Equatable, Sendable {
    package let browser: BrowserContext
    /// Shown on the phone in the place of the server's; its hash is in `browser`.
    package let logo: ServerLogo?

    /// One that was checked before it was stored.
    package init(browser: BrowserContext, logo: ServerLogo?) {
        self.browser = browser
        self.logo = logo
    }

    /// - Parameters:
    ///   - announced: shown on the phone.
    ///   - noted: kept with the session. What it says of the browser is shown where `announced` says nothing.
    package init(announced: SessionInfo, noted: SessionInfo) throws(UserContextError) {
        let info = try announced.checkedInfo("announceinfo")
        let notes = SessionNotes(
            info: try noted.checkedInfo("sessioninfo"), ip: try SessionInfo.line(noted.ip, "sessioninfo.ip"),
            userAgent: try SessionInfo.line(noted.userAgent, "sessioninfo.useragent"))
        guard noted.logo.isEmpty else { throw .badLogo("sessioninfo.logo") }
        if announced.logo.isEmpty {
            logo = nil
        } else {
            guard let picture = ServerLogo(announced.logo) else { throw .badLogo("announceinfo.logo") }
            logo = picture
        }
        let ip = try SessionInfo.line(announced.ip, "announceinfo.ip")
        let userAgent = try SessionInfo.line(announced.userAgent, "announceinfo.useragent")
        browser = BrowserContext(
            label: userAgent.isEmpty ? notes.userAgent : userAgent, city: ip.isEmpty ? notes.ip : ip, announcements: info, logoHash: logo?.hash,
            notes: notes)
    }
}

/// One half of a user context, as the backend sends it.
package struct SessionInfo: Equatable, Sendable {
    package static let keyLimit = 64
    package static let textLimit = 1_024
    /// Bytes of an address or of the name of a browser.
    package static let lineLimit = 255

    package var info: [String: String]
    package var ip: String
    package var userAgent: String
    /// Empty for none.
    package var logo: [UInt8]

    package init(info: [String: String] = [:], ip: String = "", userAgent: String = "", logo: [UInt8] = []) {
        self.info = info
        self.ip = ip
        self.userAgent = userAgent
        self.logo = logo
    }

    /// In the order of the keys, so that the same object always reads the same.
    fileprivate func checkedInfo(_ field: String) throws(UserContextError) -> [Announcement] {
        guard info.count <= BrowserContext.mostAnnouncements else { throw .tooMany("\(field).info") }
        var items: [Announcement] = []
        for (key, text) in info.sorted(by: { $0.key < $1.key }) {
            guard !key.isEmpty, WireText.allows(key, cap: Self.keyLimit), !key.contains("\n") else { throw .badKey("\(field).info") }
            guard WireText.allows(text, cap: Self.textLimit) else { throw .badText("\(field).info.\(key)") }
            items.append(Announcement(key: key, text: text))
        }
        return items
    }

    fileprivate static func line(_ text: String, _ field: String) throws(UserContextError) -> String {
        guard WireText.allows(text, cap: lineLimit), !text.contains("\n") else { throw .badLine(field) }
        return text
    }
}

/// Why a user context is refused, with the field's name.
package enum UserContextError: Error, Equatable, Sendable {
    case tooMany(String)
    case badKey(String)
    case badText(String)
    case badLine(String)
    case badLogo(String)
}

extension UserContextError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooMany(let field): "\(field) has at most \(BrowserContext.mostAnnouncements) texts"
        case .badKey(let field):
            "\(field) has keys of 1 to \(SessionInfo.keyLimit) bytes on one line, without control or direction characters"
        case .badText(let field): "\(field) has at most \(SessionInfo.textLimit) bytes and no control or direction characters"
        case .badLine(let field): "\(field) has at most \(SessionInfo.lineLimit) bytes on one line, without control or direction characters"
        case .badLogo("sessioninfo.logo"): "sessioninfo.logo is shown to nobody: send it as announceinfo.logo"
        case .badLogo(let field): "\(field) is a PNG, JPEG or SVG of at most 64 KiB, in base64"
        }
    }
}
