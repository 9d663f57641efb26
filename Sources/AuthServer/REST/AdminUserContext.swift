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

        static let nothing = Info(info: nil, ip: nil, logo: nil, useragent: nil)

        func picture(_ field: String) throws(FieldRefusal) -> [UInt8] {
            guard let bytes = Data(base64Encoded: logo ?? "") else { throw .bad("\(field).logo", "is not base64") }
            return Array(bytes)
        }
    }

    /// Both halves together take the place of what was said before; neither, and all of that stays.
    func update() throws -> LoginRequestUpdate {
        guard announceinfo != nil || sessioninfo != nil else { return LoginRequestUpdate() }
        let (announced, noted) = (announceinfo?.value ?? .nothing, sessioninfo?.value ?? .nothing)
        let (picture, hidden) = (try announced.picture("announceinfo"), try noted.picture("sessioninfo"))
        let info = try LoginText.info(announced.info ?? [:], "announceinfo", areShown: true)
        let notes = SessionNotes(
            info: try LoginText.info(noted.info ?? [:], "sessioninfo", areShown: false), ip: try LoginText.line(noted.ip ?? "", "sessioninfo.ip"),
            userAgent: try LoginText.line(noted.useragent ?? "", "sessioninfo.useragent"))
        guard hidden.isEmpty else { throw LoginTextError.hiddenLogo("sessioninfo.logo") }
        let logo = try LoginText.logo(picture, "announceinfo.logo")
        let ip = try LoginText.line(announced.ip ?? "", "announceinfo.ip")
        let userAgent = try LoginText.line(announced.useragent ?? "", "announceinfo.useragent")
        // What is noted of the browser is shown where nothing else is.
        let shown = ShownContext(
            info: info, logo: logo, ip: ip.isEmpty ? notes.ip : ip, userAgent: userAgent.isEmpty ? notes.userAgent : userAgent)
        return LoginRequestUpdate(shown: shown, notes: notes)
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

extension ShownContext {
    /// As it was shown; the image by its SHA-256, under which everybody can fetch it while the session is there.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.write(info)
            writer.member("logohash", base64url: logo?.hash)
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
