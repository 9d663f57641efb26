import Foundation
import HTTPService
import NIOCore
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("Objects and lists nest in the order of the calls, with commas between and nowhere else")
    func shape() {
        let json = JSONWriter.object { json in
            json.member("none", nil)
            json.member("list", ["a", "b"])
            json.name("objects")
            json.array([1, 2]) { json, number in json.object { json in json.member("n", number: number) } }
            json.name("empty")
            json.object { _ in }
            json.member("yes", true)
            json.member("most", number: UInt64.max)
            json.name("nothing")
            json.null()
            json.name(of: "z")
            json.number(-1)
        }
        #expect(
            String(buffer: json)
                == #"{"list":["a","b"],"objects":[{"n":1},{"n":2}],"empty":{},"yes":true,"most":18446744073709551615,"nothing":null,"z":-1}"#)
        #expect(String(buffer: JSONWriter.object { _ in }) == "{}")
    }

    @Test("Another parser reads any text back as it was, as a value and as a name")
    func escapes() throws {
        let scalars = (0..<0x250).compactMap(Unicode.Scalar.init).map { "a\($0)b" }
        for text in scalars + ["", "\"\\/", "😀\u{1F}\u{7F}\u{2028}\u{2029}", "</script>", "a\u{301}", "👩‍👩‍👧 漢 € \u{85}"] {
            let json = JSONWriter.object { json in
                json.member("text", text)
                json.name(of: "n" + text)
                json.string(text)
            }
            let parsed = try JSONSerialization.jsonObject(with: Data(json.readableBytesView)) as? [String: String]
            #expect(Array((parsed?["text"] ?? "-").unicodeScalars) == Array(text.unicodeScalars))
            #expect(Array((parsed?["n" + text] ?? "-").unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test("Long texts are written in pieces, wherever a character lies that needs an escape or takes several bytes")
    func longTexts() throws {
        for mark in ["\"", "\u{1}", "\u{85}", "\u{2028}", "é", "€", "😀", "\u{C2}\u{A0}", "漢"] {
            for before in 505...520 {
                let text = String(repeating: "x", count: before) + mark + String(repeating: mark, count: 700) + "y"
                let json = Data(JSONWriter.text { $0.string(text) }.readableBytesView)
                let parsed = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) as? String
                #expect(Array((parsed ?? "-").unicodeScalars) == Array(text.unicodeScalars))
            }
        }
    }

    @Test(
        "No answer can be taken for a web page, and no text breaks its line", arguments: ["<b>&", "\n\r", "\u{2028}\u{2029}", "\u{85}\u{9B}0m\u{7F}"])
    func isNoMarkup(text: String) {
        let json = JSONWriter.line { json in json.string(text) }
        #expect(json.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F && !"<>&".unicodeScalars.contains($0) })
    }

    @Test("Bytes are written as base64url, of whatever length, and left out where there are none")
    func bytes() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 251 &* $0 &+ 7) }
            let json = JSONWriter.object { json in
                json.member("none", base64url: nil)
                json.member("bytes", base64url: bytes)
                json.member("last", true)
            }
            let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(String(buffer: json) == #"{"bytes":"\#(text)","last":true}"#)
        }
    }

    @Test("What stands between two escapes, before the first and behind the last is there as it was")
    func runs() {
        #expect(JSONWriter.line { $0.string("ab\"cd\"\"ef¿€\u{2028}é\u{80}") } == #""ab\"cd\"\"ef¿€\u2028é\u0080""#)
        #expect(JSONWriter.line { $0.string("\n\\\u{1}\u{1F}x") } == #""\n\\\u0001\u001fx""#)
    }
}
