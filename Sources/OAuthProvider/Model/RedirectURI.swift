import OstiaryProtocol

/// Why an address can't be registered as one to which browsers are sent.
package enum RedirectURIError: Error, Equatable, Sendable {
    case malformed
    /// RFC 6749 §3.1.2.
    case fragment
    /// It has a name and a password before the host, which people take for the host.
    case userInformation
    /// http to anything but this very machine.
    case notSecure
    /// A scheme that no domain stands behind (RFC 8252 §7.1), as `javascript` and `data` are.
    case schemeWithoutDomain
    /// An app's own scheme, for an application that is no app.
    case schemeOfApps
    case noHost
    /// Its port is none, or is written as no one writes it (``URIPort``).
    case portWrong
}

/// An address of an application to which browsers are sent with codes, as it was registered (RFC 6749 §3.1.2, RFC 8252 §7).
package struct RedirectURI: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case https
        /// The app itself listens, on a port that the system gave it: any port fits (RFC 8252 §7.3), of a native app's and of nobody else's
        /// (RFC 9700 §2.1).
        case loopback
        /// A site that somebody works on, on this machine. It fits as it stands.
        case localhost
        /// An app's own.
        case customScheme
        /// Registered before a rule that it breaks. It fits nothing, and is shown to an operator, who writes it anew or leaves it out.
        case unusable

        /// Whether any program of the same machine can have the address, so that a person has to say that this is the one that they mean: a scheme is
        /// whose app claims it, and a port whose program took it (RFC 8252 §8.3, §8.6).
        package var isClaimable: Bool {
            switch self {
            case .loopback, .customScheme: true
            case .https, .localhost, .unusable: false
            }
        }
    }

    package let text: String
    package let kind: Kind

    /// - Parameter ofApp: whether the application is native, and may have a scheme of its own.
    package init(registering text: String, ofApp: Bool) throws(RedirectURIError) {
        guard (1...2_000).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed), let colon = text.firstIndex(of: ":"),
            URIScheme.isOne(text[..<colon])
        else { throw .malformed }
        guard !text.contains("#") else { throw .fragment }
        let scheme = text[..<colon].lowercased()
        let rest = text[text.index(after: colon)...]
        guard scheme == "https" || scheme == "http" else {
            guard scheme.contains(".") else { throw .schemeWithoutDomain }
            guard ofApp else { throw .schemeOfApps }
            self.text = text
            kind = .customScheme
            return
        }
        guard rest.hasPrefix("//") else { throw .malformed }
        let authority = Self.authority(rest)
        guard !authority.contains("@") else { throw .userInformation }
        guard let host = Self.host(authority), !host.isEmpty else { throw .noHost }
        guard URIPort.allows(authority.dropFirst(host.count)) else { throw .portWrong }
        if scheme == "https" {
            kind = .https
        } else {
            guard ThisMachine.isHost(host) else { throw .notSecure }
            // An app has a number (RFC 8252 §7.3): the name is two of them, of which another program may have one.
            kind = ofApp && ThisMachine.isNumber(host) ? .loopback : .localhost
        }
        self.text = text
    }

    /// One that was registered at some time, by the rules of that time.
    package init(stored text: String, ofApp: Bool) {
        self = (try? RedirectURI(registering: text, ofApp: ofApp)) ?? RedirectURI(unusable: text)
    }

    private init(unusable text: String) {
        self.text = text
        kind = .unusable
    }

    /// Whether an address of a request is this one: byte for byte (RFC 9700 §2.1), but for the port of a loopback address. Nothing is normalised: two
    /// readers that normalise differently are an open redirect.
    package func isMatched(by presented: String) -> Bool {
        guard kind != .unusable else { return false }
        guard !text.isSame(as: presented) else { return true }
        guard kind == .loopback, let registered = Self.withoutPort(text), let given = Self.withoutPort(presented) else { return false }
        return registered.isSame(as: given)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    /// - Parameter rest: what follows the scheme's colon, from its two slashes on.
    private static func authority(_ rest: Substring) -> Substring { rest.dropFirst(2).prefix { !"/?".contains($0) } }

    private static func host(_ authority: Substring) -> Substring? {
        guard authority.hasPrefix("[") else { return authority.prefix { $0 != ":" } }
        return authority.firstIndex(of: "]").map { authority[...$0] }
    }

    /// An http address on a loopback IP, with its port taken out; nil for any other.
    private static func withoutPort(_ text: String) -> String? {
        guard text.hasPrefix("http://") else { return nil }
        let authority = authority(text.dropFirst("http:".count))
        guard let host = host(authority), ThisMachine.isNumber(host) else { return nil }
        let tail = authority.dropFirst(host.count)
        guard URIPort.allows(tail) else { return nil }
        return "http://\(host)" + text.dropFirst("http://".count + authority.count)
    }
}

extension String {
    /// Byte for byte. `==` finds characters equal that Unicode holds to be the same, such as K and the Kelvin sign; an address has no such freedom.
    func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
