import OstiaryProtocol

/// What a phone is shown of a login in the words of its backend, as the backend is told it again.
package struct ShownContext: Equatable, Sendable {
    package static let none = ShownContext()

    /// An L2 has room for so many (protocol §2).
    package static let mostAnnouncements = 32

    package let info: [Announcement]
    /// Takes the place of the server's.
    package var logo: ShownLogo?
    /// Of the browser that asks, as its backend says.
    package let ip: String
    package let userAgent: String

    /// Text that may not travel is dropped when it is written, and so are announcements beyond the last that fits.
    package init(info: [Announcement] = [], logo: ShownLogo? = nil, ip: String = "", userAgent: String = "") {
        self.info = Array(info.prefix(Self.mostAnnouncements))
        self.logo = logo
        self.ip = ip
        self.userAgent = userAgent
    }

    package var isEmpty: Bool { self == .none }
}

/// The logo of one login. Its hash stands for it: two with the same are the same.
package struct ShownLogo: Equatable, Sendable {
    package let hash: [UInt8]
    /// Nil in a session that was read: its store keeps the picture beside it.
    package let picture: ServerLogo?

    package init(_ picture: ServerLogo) {
        hash = picture.hash
        self.picture = picture
    }

    package init(hash: [UInt8]) {
        self.hash = hash
        picture = nil
    }

    package static func == (left: ShownLogo, right: ShownLogo) -> Bool { left.hash == right.hash }
}

/// What a backend notes about a session for itself. No phone sees it.
package struct SessionNotes: Equatable, Sendable {
    package static let none = SessionNotes()

    package let info: [Announcement]
    package let ip: String
    package let userAgent: String

    package init(info: [Announcement] = [], ip: String = "", userAgent: String = "") {
        self.info = info
        self.ip = ip
        self.userAgent = userAgent
    }

    package var isEmpty: Bool { self == .none }
}
