import OstiaryTokens
import Testing

@Suite("JSONReader")
struct JSONReaderTests {
    private func read(_ text: String) throws -> JSONValue { try JSONReader.value(Array(text.utf8)) }

    private func error(_ text: String) -> JSONError? { error(Array(text.utf8)) }

    private func error(_ bytes: [UInt8]) -> JSONError? {
        do { _ = try JSONReader.value(bytes) } catch { return error }
        return nil
    }

    @Test("Every kind of value is read, with space around it")
    func values() throws {
        #expect(try read(" null ") == .null)
        #expect(try read("[true,false]") == .array([.bool(true), .bool(false)]))
        #expect(try read("-12") == .integer(-12))
        #expect(try read("0") == .integer(0))
        #expect(try read("1.5e2") == .fraction(150))
        #expect(try read("{ \"a\" : [ ] , \"b\" : { } }") == .object(JSONObject(["a": .array([]), "b": .object(JSONObject())])))
    }

    @Test("Escapes are read, a pair of surrogates as one character")
    func escapes() throws {
        #expect(try read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#) == .string("\"\\/\u{8}\u{C}\n\r\té😀"))
    }

    @Test(
        "A surrogate alone, a bad escape, a control character and bytes that are no UTF-8 are no string",
        arguments: [#""\ud83d""#, #""\ude00""#, #""\ud83d\u0041""#, #""\x""#, #""\u00g0""#, "\"\u{1}\""])
    func badStrings(text: String) {
        #expect(error(text) == .badString || error(text) == .ended)
    }

    @Test("Bytes that are no UTF-8 are refused")
    func encoding() {
        #expect(error([0x22, 0xC3, 0x28, 0x22]) == .badString)
        #expect(error([0x22, 0xED, 0xA0, 0x80, 0x22]) == .badString)
    }

    @Test("rs_duplicate_json_keys: a name that is there twice is refused, also by another spelling")
    func duplicates() {
        #expect(error(#"{"a":1,"a":2}"#) == .duplicateName)
        #expect(error(#"{"aud":1,"\u0061ud":2}"#) == .duplicateName)
        #expect(error(#"{"a":{"b":1},"b":{"b":2}}"#) == nil)
    }

    @Test(
        "Numbers that RFC 8259 has not, and whole ones that would be rounded, are refused",
        arguments: ["01", "-", "1.", ".5", "+1", "1e", "9223372036854775808", "1e999", "NaN"])
    func badNumbers(text: String) {
        #expect(error(text) != nil)
    }

    @Test("Nothing may follow, nothing may be missing")
    func ends() {
        #expect(error("{} {}") == .trailingBytes)
        #expect(error("") == .ended)
        #expect(error("tru") == .ended)
        #expect(error("trux") == .unexpectedByte)
        #expect(error("[1,]") == .unexpectedByte)
        #expect(error("{\"a\":1,}") == .unexpectedByte)
        #expect(error("{a:1}") == .unexpectedByte)
    }

    @Test("Sixteen levels are read, and a million brackets break no stack")
    func depth() {
        #expect(error(String(repeating: "[", count: 16) + String(repeating: "]", count: 16)) == nil)
        #expect(error(String(repeating: "[", count: 17) + String(repeating: "]", count: 17)) == .tooDeep)
        #expect(error(String(repeating: "[", count: 1_000_000)) == .tooDeep)
    }

    @Test("No prefix of a document is a document")
    func prefixes() {
        let document = Array(#"{"iss":"https://login.example","aud":["a","b"],"exp":1800000000,"cnf":{"jkt":"é\u00e9"},"x":[null,true,1.5]}"#.utf8)
        #expect(error(document) == nil)
        for count in document.indices { #expect(error(Array(document.prefix(count))) != nil) }
    }

    @Test("What is written is read again as it was, and no markup stands in it")
    func roundTrip() throws {
        let object = JSONObject([
            "text": .string("<a>&\"\\\n\u{7F}é😀"), "numbers": .array([.integer(.min), .integer(.max), .fraction(0.25)]), "none": .null,
            "deep": .object(JSONObject(["empty": .array([])])),
        ])
        let text = String(decoding: object.encoded, as: UTF8.self)
        #expect(try JSONReader.object(object.encoded) == object)
        #expect(!text.contains("<") && !text.contains("&") && !text.contains("\n"))
        #expect(text.hasPrefix(#"{"text":"\u003ca\u003e\u0026\"\\\u000a\u007fé😀","numbers":[-9223372036854775808,"#))
    }

    @Test("A member takes the place of the one of its name, and nil removes it")
    func members() {
        var object = JSONObject(["a": .integer(1), "b": .integer(2), "c": nil])
        object["a"] = .integer(3)
        object["b"] = nil
        object["d"] = .null
        #expect(String(decoding: object.encoded, as: UTF8.self) == #"{"a":3,"d":null}"#)
    }
}
