import CPhoneFiles
import HTTPTypes
import Hummingbird
import NIOCore

/// The files of the page, which are part of the program.
enum PageAssets {
    static let page = (PhoneFile.demo_html.bytes, "text/html; charset=utf-8")
    static let script = (PhoneFile.demo_js.bytes, "text/javascript; charset=utf-8")
    static let style = (PhoneFile.demo_css.bytes, "text/css; charset=utf-8")
    static let protocolStyle = (PhoneFile.protocol_css.bytes, "text/css; charset=utf-8")

    static func response(_ asset: (bytes: [UInt8], type: String)) -> Response {
        Response(status: .ok, headers: [.contentType: asset.type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
    }
}
