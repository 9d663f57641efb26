import Foundation
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("JSON writer")
struct AdminJSONWriterTests {
    @Test("Any text comes back from a parser as it was written")
    func escapes() throws {
        let texts = (0..<0x250).compactMap(Unicode.Scalar.init).map { "a\($0)b" } + ["", "\"\\/", "😀\u{1F}\u{7F}\u{2028}", "</script>", "a\u{301}"]
        for text in texts {
            let json = AdminJSONWriter.text { writer in writer.object { writer in writer.member("text", text) } }
            let parsed = try JSONSerialization.jsonObject(with: Data(json)) as? [String: String]
            #expect(Array((parsed?["text"] ?? "").unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test("Objects and lists nest, with commas between and nowhere else")
    func nests() {
        let json = AdminJSONWriter.text { writer in
            writer.object { writer in
                writer.member("none", nil)
                writer.member("list", ["a", "b"])
                writer.name("objects")
                writer.array([1, 2]) { writer, number in writer.object { writer in writer.member("n", number: number) } }
                writer.name("empty")
                writer.object { _ in }
                writer.member("yes", true)
                writer.member("most", number: UInt64.max)
            }
        }
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"list":["a","b"],"objects":[{"n":1},{"n":2}],"empty":{},"yes":true,"most":18446744073709551615}"#)
    }

    @Test("No answer can be taken for a web page")
    func isNoMarkup() {
        let json = AdminJSONWriter.text { writer in writer.string("<b>&") }
        #expect(!json.contains(UInt8(ascii: "<")) && !json.contains(UInt8(ascii: ">")) && !json.contains(UInt8(ascii: "&")))
    }
}
