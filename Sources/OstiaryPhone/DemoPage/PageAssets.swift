import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the page, which are part of the program.
enum PageAssets {
    static let page = (PackageResources.demo_html, "text/html; charset=utf-8")
    static let script = (PackageResources.demo_js, "text/javascript; charset=utf-8")
    static let style = (PackageResources.demo_css, "text/css; charset=utf-8")
    static let protocolStyle = (PackageResources.protocol_css, "text/css; charset=utf-8")

    static func response(_ asset: (bytes: [UInt8], type: String)) -> Response {
        Response(status: .ok, headers: [.contentType: asset.type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }
}
