import Testing

@testable import OstiaryPhone

@Suite("JSON lines of the phone")
struct JSONTextTests {
    @Test("Members keep their order, and everything is one line")
    func order() {
        let value = [("z", JSONText.number(-3)), ("a", .array([.null, .bool(true), .string("x")])), ("m", [("k", .string("v"))].asObject)].asObject
        #expect(value.text == #"{"z":-3,"a":[null,true,"x"],"m":{"k":"v"}}"#)
    }

    @Test(
        "No text breaks its line or its quotes, and every reader gets it back",
        arguments: ["\"", "\\", "\n", "\r\n", "\u{0}", "\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "é", "\u{1F6AA}", "a\tb"])
    func escaping(_ text: String) throws {
        let written = JSONText.string(text).text
        #expect(!written.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{2028}" })
        #expect(try JSONLine(written) == .string(text))
    }
}
