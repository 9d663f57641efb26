import OstiaryProtocol

/// A change of a server's parameters; what is nil stays as it is.
package struct ServerUpdate: Equatable, Sendable {
    package var name: String?
    /// Empty removes the logo.
    package var logo: [UInt8]?
    package var pingTime: Int?
    package var pinTimeout: Int?
    package var pinTransTimeout: Int?
    package var flags: [String]?
    package var staticQRAge: Int?
    package var appName: String?
    package var appAndroid: String?
    package var appIOS: String?
    package var appURL: String?
    package var siteURL: String?
    package var wsURL: String?
    package var owner: String?
    /// Empty for the pages' own, and so is the next.
    package var color: String?
    package var colorDark: String?
    /// All of them; none for nobody.
    package var frameOrigins: [String]?

    package init() {}

    /// The parameters after the change, or the first reason why it cannot be.
    package func applied(to parameters: ServerParameters) throws(ServerUpdateError) -> ServerParameters {
        var changed = parameters
        if let name { changed.name = try Self.text(name, field: "serverName", allowsEmpty: false) }
        if let logo { changed.logo = try Self.logo(logo) }
        if let pingTime { changed.pingTime = UInt32(try Self.number(pingTime, in: 0...604_800, field: "pingTime")) }
        if let pinTimeout { changed.pinTimeout = Int32(try Self.number(pinTimeout, in: -1...525_600, field: "pinTimeout")) }
        if let pinTransTimeout { changed.pinTransTimeout = Int32(try Self.number(pinTransTimeout, in: -1...525_600, field: "pinTransTimeout")) }
        if let flags { changed.flags = try Self.flags(flags) }
        if let staticQRAge { changed.staticQRAge = UInt32(try Self.number(staticQRAge, in: 0...300, field: "staticQrAge")) }
        if let appName { changed.appName = try Self.text(appName, field: "appname") }
        if let appAndroid { changed.appAndroid = try Self.text(appAndroid, field: "appandroid") }
        if let appIOS { changed.appIOS = try Self.text(appIOS, field: "appios") }
        if let appURL { changed.appURL = try Self.text(appURL, field: "appurl") }
        if let siteURL { changed.siteURL = try Self.text(siteURL, field: "siteurl") }
        if let wsURL { changed.wsURL = try Self.text(wsURL, field: "wsurl") }
        if let owner { changed.owner = try Self.text(owner, field: "owner") }
        if let color { changed.color = try Self.color(color, on: .light, field: "color") }
        if let colorDark { changed.colorDark = try Self.color(colorDark, on: .dark, field: "colordark") }
        if let frameOrigins { changed.frameOrigins = try Self.origins(frameOrigins) }
        return changed
    }

    /// Refuses texts that are no plain lines, or in which there is nothing to see, where they change something: `applied` also reads what was stored before
    /// this was asked, and what is told may be sent back as it is. An empty one takes a text away.
    package func checkTexts(beside parameters: ServerParameters) throws(ServerUpdateError) {
        let texts = [
            ("serverName", name, parameters.name), ("appname", appName, parameters.appName), ("appandroid", appAndroid, parameters.appAndroid),
            ("appios", appIOS, parameters.appIOS), ("appurl", appURL, parameters.appURL), ("siteurl", siteURL, parameters.siteURL),
            ("wsurl", wsURL, parameters.wsURL), ("owner", owner, parameters.owner),
        ]
        for (field, text, former) in texts {
            guard let text, text != former else { continue }
            guard PlainLine.allows(text, cap: 255) else { throw .badText(field: field) }
            guard text.isEmpty || !PlainLine.isBlank(text) else { throw .blank(field: field) }
        }
    }

    /// Refuses a logo that is no plain picture, where it is another than before: what was stored is read as it is, and may be sent back.
    package func checkLogo(beside parameters: ServerParameters) throws(ServerUpdateError) {
        guard let logo, !logo.isEmpty, logo != parameters.logo?.bytes else { return }
        guard PlainPicture(logo) != nil else { throw .badLogo }
    }

    private static func number(_ value: Int, in range: ClosedRange<Int>, field: String) throws(ServerUpdateError) -> Int {
        guard range.contains(value) else { throw .outOfRange(field: field, range) }
        return value
    }

    private static func text(_ value: String, field: String, allowsEmpty: Bool = true) throws(ServerUpdateError) -> String {
        guard allowsEmpty || !value.isEmpty else { throw .empty(field: field) }
        guard WireText.allows(value, cap: 255) else { throw .badText(field: field) }
        return value
    }

    private static func logo(_ bytes: [UInt8]) throws(ServerUpdateError) -> ServerLogo? {
        guard !bytes.isEmpty else { return nil }
        guard let logo = ServerLogo(bytes) else { throw .badLogo }
        return logo
    }

    private static func color(_ text: String, on scheme: PageColor.Scheme, field: String) throws(ServerUpdateError) -> PageColor? {
        guard !text.isEmpty else { return nil }
        guard let color = PageColor(text) else { throw .badColor(field: field) }
        guard color.contrast(with: scheme.ink) >= PageColor.leastContrast else { throw .lowContrast(field: field, color, scheme) }
        return color
    }

    private static func origins(_ texts: [String]) throws(ServerUpdateError) -> [FrameOrigin] {
        var origins: [FrameOrigin] = []
        for text in texts {
            guard let origin = FrameOrigin(text) else { throw .badOrigin(text) }
            if !origins.contains(origin) { origins.append(origin) }
        }
        guard origins.count <= FrameOrigin.most else { throw .tooManyOrigins }
        return origins
    }

    private static func flags(_ names: [String]) throws(ServerUpdateError) -> Set<ServerFlag> {
        var flags: Set<ServerFlag> = []
        for name in names {
            guard let flag = ServerFlag(rawValue: name) else { throw .unknownFlag(name) }
            flags.insert(flag)
        }
        return flags
    }
}

/// Why a server's parameters cannot be changed like that. The field names are those of the REST API.
package enum ServerUpdateError: Error, Equatable, Sendable {
    case outOfRange(field: String, ClosedRange<Int>)
    case empty(field: String)
    /// Nobody would see it.
    case blank(field: String)
    /// Longer than 255 bytes, or no plain line.
    case badText(field: String)
    /// Neither PNG nor JPEG nor SVG, more than 64 KiB, or no plain picture.
    case badLogo
    /// Not `#rrggbb`.
    case badColor(field: String)
    /// What is written on the colour could not be read.
    case lowContrast(field: String, PageColor, PageColor.Scheme)
    /// No origin of a site that may show a login page in a frame.
    case badOrigin(String)
    case tooManyOrigins
    case unknownFlag(String)
}

extension ServerUpdateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfRange(let field, let range): "\(field) lies between \(range.lowerBound) and \(range.upperBound)"
        case .empty(let field): "\(field) may not be empty"
        case .blank(let field): "\(field) has nothing to see"
        case .badText(let field): "\(field) has at most 255 bytes on one line, without control or direction characters"
        case .badLogo: "logo \(PlainPicture.rule), in base64"
        case .badColor(let field): "\(field) is # and six hexadecimal digits, such as #1f5f66"
        case .lowContrast(let field, let color, let scheme): Self.contrastText(field, color, scheme)
        case .badOrigin: "frameorigins has origins such as https://shop.example, or http:// of this machine: no path, no wildcard, no IPv6 address"
        case .tooManyOrigins: "frameorigins has at most \(FrameOrigin.most) origins"
        case .unknownFlag(let name): "serverFlags does not know \(name)"
        }
    }

    /// The contrast is told cut off, so that one that is too low never reads as enough.
    private static func contrastText(_ field: String, _ color: PageColor, _ scheme: PageColor.Scheme) -> String {
        let tenths = Int(color.contrast(with: scheme.ink) * 10)
        let way = scheme == .light ? "white text; take a darker one" : "the dark text (\(scheme.ink.text)) of the pages by night; take a lighter one"
        return "\(field) \(color.text) has a contrast of \(tenths / 10).\(tenths % 10) to 1, and needs 4.5 to carry \(way)"
    }
}
