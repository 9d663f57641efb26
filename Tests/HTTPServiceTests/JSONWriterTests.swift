import Foundation
import HTTPService
import NIOCore
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("Members, objects and arrays come out in order, with commas only between them")
    func shape() {
        var json = JSONWriter()
        json.member("a", "x")
        json.object("o") { _ in }
        json.objects("list", [1, 2]) { json, number in
            json.member("n", number)
            json.member("odd", number % 2 == 1)
        }
        json.member("left", ifPresent: nil)
        json.member("names", ["p", "q"])
        json.member("none", [String]())
        json.object("p") { $0.object("q") { $0.member("r", UInt64.max) } }
        json.member("z", -1)
        #expect(
            String(buffer: json.finish())
                == #"{"a":"x","o":{},"list":[{"n":1,"odd":true},{"n":2,"odd":false}],"names":["p","q"],"none":[],"p":{"q":{"r":18446744073709551615}},"z":-1}"#
        )
        #expect(String(buffer: JSONWriter().finish()) == "{}")
    }

    @Test(
        "Another parser reads every string back as it was",
        arguments: [
            "", "plain", "quote \" backslash \\ slash /", "\u{0}\u{1}\u{1F}\u{7F}", "line\nreturn\rtab\t", "é 漢 👩‍👩‍👧 \u{2028}", "</script>",
        ])
    func strings(text: String) throws {
        var json = JSONWriter()
        json.member("value", text)
        json.member(named: text, text)
        let read = try JSONDecoder().decode([String: String].self, from: Data(json.finish().readableBytesView))
        #expect(read["value"] == text)
        #expect(read[text] == text)
    }
}
