import HTTPService
import HTTPTypes
import Hummingbird

/// A file of the page, which is part of the program. None of them is a secret.
struct PhonePageAsset: Sendable {
    let path: String
    let type: String
    let bytes: [UInt8]

    static let all = [
        PhonePageAsset(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.phone_html),
        PhonePageAsset(path: "/phone.css", type: "text/css; charset=utf-8", bytes: PackageResources.phone_css),
        PhonePageAsset(path: "/icon.svg", type: "image/svg+xml", bytes: PackageResources.phone_icon_svg),
        PhonePageAsset(path: "/favicon.ico", type: "image/svg+xml", bytes: PackageResources.phone_icon_svg),
        script("phone", PackageResources.phone_js), script("screens", PackageResources.screens_js), script("lists", PackageResources.lists_js),
        script("pad", PackageResources.pad_js), script("scan", PackageResources.scan_js), script("line", PackageResources.line_js),
    ]

    private static func script(_ name: String, _ bytes: [UInt8]) -> PhonePageAsset {
        PhonePageAsset(path: "/\(name).js", type: "text/javascript; charset=utf-8", bytes: bytes)
    }

    var response: Response { .picture(bytes, type) }
}
