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

    static let login = PageAsset(PackageResources.login_html, "text/html; charset=utf-8")
    static let enrol = PageAsset(PackageResources.enrol_html, "text/html; charset=utf-8")
    static let link = PageAsset(PackageResources.link_html, "text/html; charset=utf-8")
    static let missing = PageAsset(PackageResources.missing_html, "text/html; charset=utf-8")
    static let trouble = PageAsset(PackageResources.trouble_html, "text/html; charset=utf-8")
    static let style = PageAsset(PackageResources.style_css, "text/css; charset=utf-8")
    static let script = PageAsset(PackageResources.page_js, "text/javascript; charset=utf-8")
    static let symbols = PageAsset(PackageResources.qr_js, "text/javascript; charset=utf-8")
    static let icon = PageAsset(PackageResources.icon_svg, "image/svg+xml")
    static let openAPI = PageAsset(PackageResources.openapi_json, "application/json; charset=utf-8")

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
}
