import Authentication
import Foundation
import HTTPService
import OstiaryProtocol

/// The Server object of the REST API: what is told, and what may be changed.
struct AdminServerObject: Sendable {
    let overview: ServerOverview

    func write(to writer: inout JSONWriter) {
        let parameters = overview.server.parameters
        writer.object { writer in
            writer.member("serverid", overview.server.id.text)
            writer.member("serverpk", Self.publicKey(of: overview.server))
            writer.member("serverName", parameters.name)
            writer.member("logo", parameters.logo.map { Data($0.bytes).base64EncodedString() } ?? "")
            writer.member("pinTimeout", number: parameters.pinTimeout)
            writer.member("pinTransTimeout", number: parameters.pinTransTimeout)
            writer.member("pingTime", number: parameters.pingTime)
            writer.member("staticQrAge", number: parameters.staticQRAge)
            writer.member("serverFlags", parameters.flags.map(\.rawValue).sorted())
            writer.member("appname", parameters.appName)
            writer.member("appandroid", parameters.appAndroid)
            writer.member("appios", parameters.appIOS)
            writer.member("appurl", parameters.appURL)
            writer.member("siteurl", parameters.siteURL)
            writer.member("wsurl", parameters.wsURL)
            writer.member("owner", parameters.owner)
            writer.member("color", parameters.color?.text ?? "")
            writer.member("colordark", parameters.colorDark?.text ?? "")
            writer.member("frameorigins", parameters.frameOrigins.map(\.text))
            writer.member("accountCount", number: overview.activity.accountCount)
            writer.member("lastLogin", number: overview.activity.lastLogin?.seconds)
        }
    }

    fileprivate static func publicKey(of server: VirtualServer) -> String { Base64URL.encode(server.publicKey) }
}

/// The body of updateServer: any part of a Server object. What `getServer` answered may be sent back as it is.
struct AdminServerUpdate: JSONFields {
    let serverid: String?
    let serverpk: String?
    let serverName: String?
    let logo: String?
    let pinTimeout: JSONInteger?
    let pinTransTimeout: JSONInteger?
    let pingTime: JSONInteger?
    let staticQrAge: JSONInteger?
    let serverFlags: [String]?
    let appname: String?
    let appandroid: String?
    let appios: String?
    let appurl: String?
    let siteurl: String?
    let wsurl: String?
    let owner: String?
    let color: String?
    let colordark: String?
    let frameorigins: [String]?
    let accountCount: JSONInteger?
    let lastLogin: JSONInteger?

    /// Those that are told and cannot be changed come back with the others.
    enum Field: String, CodingKey, CaseIterable {
        case serverid, serverpk, serverName, logo, pinTimeout, pinTransTimeout, pingTime, staticQrAge, serverFlags
        case appname, appandroid, appios, appurl, siteurl, wsurl, owner, color, colordark, frameorigins, accountCount, lastLogin
    }

    /// Refuses another identity than this server's.
    func checkIdentity(of server: VirtualServer) throws(AdminRefusal) {
        if let serverid, serverid != server.id.text { throw .immutable("serverid") }
        if let serverpk, serverpk != AdminServerObject.publicKey(of: server) { throw .immutable("serverpk") }
    }

    /// The change; refuses a logo that is not base64, and numbers that the server would not tell. Those of before are none: people log in while a backend
    /// looks at what it was told.
    func change() throws(FieldRefusal) -> ServerUpdate {
        for (field, number) in [("accountCount", accountCount), ("lastLogin", lastLogin)] {
            if let number, number.value < 0 { throw .bad(field, "is 0 or more") }
        }
        var update = ServerUpdate()
        update.name = serverName
        update.logo = try logo.map { text throws(FieldRefusal) in
            guard let bytes = Data(base64Encoded: text) else { throw .bad("logo", "is not base64") }
            return Array(bytes)
        }
        update.pingTime = pingTime?.value
        update.pinTimeout = pinTimeout?.value
        update.pinTransTimeout = pinTransTimeout?.value
        update.flags = serverFlags
        update.staticQRAge = staticQrAge?.value
        update.appName = appname
        update.appAndroid = appandroid
        update.appIOS = appios
        update.appURL = appurl
        update.siteURL = siteurl
        update.wsURL = wsurl
        update.owner = owner
        update.color = color
        update.colorDark = colordark
        update.frameOrigins = frameorigins
        return update
    }
}
