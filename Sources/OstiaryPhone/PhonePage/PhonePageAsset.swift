import CPhoneFiles
import HTTPService
import HTTPTypes
import Hummingbird

/// A file of the page, which is part of the program. None of them is a secret.
struct PhonePageAsset: Sendable {
    let path: String
    let type: String
    let bytes: [UInt8]

    static let all = [
        PhonePageAsset(path: "/", type: "text/html; charset=utf-8", bytes: PhoneFile.phone_html.bytes),
        PhonePageAsset(path: "/phone.css", type: "text/css; charset=utf-8", bytes: PhoneFile.phone_css.bytes),
        PhonePageAsset(path: "/icon.svg", type: "image/svg+xml", bytes: PhoneFile.phone_icon_svg.bytes),
        PhonePageAsset(path: "/favicon.ico", type: "image/svg+xml", bytes: PhoneFile.phone_icon_svg.bytes),
        script("phone", PhoneFile.phone_js.bytes), script("screens", PhoneFile.screens_js.bytes), script("lists", PhoneFile.lists_js.bytes),
        script("pad", PhoneFile.pad_js.bytes), script("scan", PhoneFile.scan_js.bytes), script("line", PhoneFile.line_js.bytes),
    ]

    private static func script(_ name: String, _ bytes: [UInt8]) -> PhonePageAsset {
        PhonePageAsset(path: "/\(name).js", type: "text/javascript; charset=utf-8", bytes: bytes)
    }

    var response: Response { .picture(bytes, type) }
}
