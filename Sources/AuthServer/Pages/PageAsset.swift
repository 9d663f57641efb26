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
        "style": PackageResources.style_css, "enrol": PackageResources.enrol_css, "embed": PackageResources.embed_css,
        "device": PackageResources.device_css, "typed": PackageResources.typed_css,
    ]
    /// The same as they are sent.
    static let styles = styleFiles.mapValues { PageAsset(PageSource.strippedStyle($0), "text/css; charset=utf-8") }
    static let icon = PageAsset(PackageResources.icon_svg, "image/svg+xml")
    static let openAPI = PageAsset(PackageResources.openapi_json, "application/json; charset=utf-8")

    /// The module that sites load for `<ostiary-login>`.
    static let element = PageAsset(PageSource.strippedScript(PackageResources.element_js), "text/javascript; charset=utf-8")

    /// The modules of the pages, by their names, as their files are.
    static let scriptFiles = [
        "page": PackageResources.page_js, "login": PackageResources.login_js, "enrol": PackageResources.enrol_js, "link": PackageResources.link_js,
        "consent": PackageResources.consent_js, "device": PackageResources.device_js, "logout": PackageResources.logout_js,
        "view": PackageResources.view_js, "draw": PackageResources.draw_js, "qr": PackageResources.qr_js, "embed": PackageResources.embed_js,
        "send": PackageResources.send_js, "typed": PackageResources.typed_js,
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
