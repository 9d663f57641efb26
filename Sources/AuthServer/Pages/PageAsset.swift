import CPageFiles
import HTTPTypes
import Hummingbird
import NIOCore
import OstiaryProtocol

/// A file of the pages, which is part of the program.
struct PageAsset: Sendable {
    let bytes: [UInt8]
    let type: String
    /// Changes with the content, so that a browser asks again after an update and not before.
    let tag: String

    init(_ bytes: [UInt8], _ type: String) {
        self.bytes = bytes
        self.type = type
        tag = "\"\(Base64URL.encode(Array(SHA(bytes).prefix(12))))\""
    }

    /// What stands for a file that the program has not.
    static let none = PageAsset([], "text/plain")

    /// The stylesheets of the pages, by their names, as their files are.
    static let styleFiles = [
        "style": PageFile.style_css.bytes, "enrol": PageFile.enrol_css.bytes, "embed": PageFile.embed_css.bytes,
        "device": PageFile.device_css.bytes, "typed": PageFile.typed_css.bytes,
    ]
    /// The same as they are sent.
    static let styles = styleFiles.mapValues { PageAsset(PageSource.strippedStyle($0), "text/css; charset=utf-8") }
    static let icon = PageAsset(PageFile.icon_svg.bytes, "image/svg+xml")
    static let openAPI = PageAsset(PageFile.openapi_json.bytes, "application/json; charset=utf-8")

    /// The module that sites load for `<ostiary-login>`.
    static let element = PageAsset(PageSource.strippedScript(PageFile.element_js.bytes), "text/javascript; charset=utf-8")

    /// The modules of the pages, by their names, as their files are.
    static let scriptFiles = [
        "page": PageFile.page_js.bytes, "login": PageFile.login_js.bytes, "enrol": PageFile.enrol_js.bytes, "link": PageFile.link_js.bytes,
        "consent": PageFile.consent_js.bytes, "device": PageFile.device_js.bytes, "logout": PageFile.logout_js.bytes,
        "view": PageFile.view_js.bytes, "draw": PageFile.draw_js.bytes, "qr": PageFile.qr_js.bytes, "embed": PageFile.embed_js.bytes,
        "send": PageFile.send_js.bytes, "typed": PageFile.typed_js.bytes,
    ]
    /// The same as they are sent.
    static let scripts = scriptFiles.mapValues { PageAsset(PageSource.strippedScript($0), "text/javascript; charset=utf-8") }

    var response: Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The file, or the word that the browser's copy is still right.
    func response(to request: Request) -> Response {
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "no-cache"]) }
        var response = response
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    /// The same for a site of whoever asks: there is nothing in it that is not for everybody.
    func publicResponse(to request: Request) -> Response {
        var response = response(to: request)
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.crossOriginResourcePolicy] = "cross-origin"
        return response
    }
}
