import Foundation
import OstiaryProtocol

/// The image of a login as an address that a page may show: a script in it has no way to run there.
enum LogoAddress {
    /// Nil for what no browser takes for a picture, and for what could hold it up (`PlainPicture`): a server that is not ours may send anything.
    static func text(of bytes: [UInt8]) -> String? {
        PlainPicture(bytes).map { "data:\($0.rawValue);base64,\(Data(bytes).base64EncodedString())" }
    }
}
