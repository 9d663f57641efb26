import Authentication
import Foundation
import HTTPService
import OstiaryProtocol

/// UserContext of the REST API: what a backend says when it begins a login. Every part may be left out.
struct AdminUserContext: JSONFields {
    let announceinfo: Strict<Info>?
    let sessioninfo: Strict<Info>?

    enum Field: String, CodingKey, CaseIterable { case announceinfo, sessioninfo }

    struct Info: JSONFields {
        let info: [String: String]?
        let ip: String?
        let logo: String?
        let useragent: String?

        enum Field: String, CodingKey, CaseIterable { case info, ip, logo, useragent }

        func parsed(_ field: String) throws(FieldRefusal) -> SessionInfo {
            guard let logo = Data(base64Encoded: logo ?? "") else { throw .bad("\(field).logo", "is not base64") }
            return SessionInfo(info: info ?? [:], ip: ip ?? "", userAgent: useragent ?? "", logo: Array(logo))
        }
    }

    /// Nil when nothing is said.
    func context() throws -> UserContext? {
        guard announceinfo != nil || sessioninfo != nil else { return nil }
        return try UserContext(
            announced: try announceinfo?.value.parsed("announceinfo") ?? SessionInfo(),
            noted: try sessioninfo?.value.parsed("sessioninfo") ?? SessionInfo())
    }
}

extension SessionNotes {
    /// As it was sent.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.write(info)
            writer.member("ip", ip.isEmpty ? nil : ip)
            writer.member("useragent", userAgent.isEmpty ? nil : userAgent)
        }
    }
}

extension SessionAnnouncement {
    /// As it was shown; the image by its SHA-256, under which everybody can fetch it while the session is there.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.write(info)
            writer.member("logohash", logoHash.map(Base64URL.encode))
            writer.member("ip", ip.isEmpty ? nil : ip)
            writer.member("useragent", userAgent.isEmpty ? nil : userAgent)
        }
    }
}

extension JSONWriter {
    /// The texts by key; nothing when there are none.
    fileprivate mutating func write(_ info: [Announcement]) {
        guard !info.isEmpty else { return }
        name("info")
        object { writer in
            for item in info {
                writer.name(of: item.key)
                writer.string(item.text)
            }
        }
    }
}
