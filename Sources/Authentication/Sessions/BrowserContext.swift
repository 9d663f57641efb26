import OstiaryProtocol

/// What the backend says of the browser that asks: what the phone shows of it, and what is kept for the backend itself.
package struct BrowserContext: Equatable, Sendable {
    package static let unknown = BrowserContext()

    package let label: String
    package let city: String
    package let announcements: [Announcement]
    /// Of a logo that takes the place of the server's.
    package let logoHash: [UInt8]?
    package let notes: SessionNotes

    /// An L2 has room for so many (protocol §2).
    package static let mostAnnouncements = 32

    /// Text that may not travel is dropped when it is written, and so are announcements beyond the last that fits.
    package init(
        label: String = "", city: String = "", announcements: [Announcement] = [], logoHash: [UInt8]? = nil, notes: SessionNotes = .none
    ) {
        self.label = label
        self.city = city
        self.announcements = Array(announcements.prefix(Self.mostAnnouncements))
        self.logoHash = logoHash
        self.notes = notes
    }
}

/// What a phone is shown of a session in the words of its backend, as the backend is told it again.
package struct SessionAnnouncement: Equatable, Sendable {
    package static let none = SessionAnnouncement()

    package let info: [Announcement]
    /// Of the logo that took the place of the server's.
    package let logoHash: [UInt8]?
    package let ip: String
    package let userAgent: String

    package init(info: [Announcement] = [], logoHash: [UInt8]? = nil, ip: String = "", userAgent: String = "") {
        self.info = info
        self.logoHash = logoHash
        self.ip = ip
        self.userAgent = userAgent
    }

    package var isEmpty: Bool { self == .none }
}

extension BrowserContext {
    package var announced: SessionAnnouncement {
        SessionAnnouncement(info: announcements, logoHash: logoHash, ip: city, userAgent: label)
    }
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
