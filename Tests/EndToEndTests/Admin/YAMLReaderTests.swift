import Foundation
import OstiaryTokens
import Testing

@testable import ostiary

@Suite("The YAML that an operator writes")
struct YAMLReaderTests {
    private func mistake(_ text: String) -> YAMLError? {
        do { _ = try YAMLReader.object(text) } catch { return error as? YAMLError }
        return nil
    }

    @Test(
        "Mappings, lists, quotes and comments mean what they mean to every reader of YAML",
        arguments: [
            ("", "{}"), ("# nothing\n\n", "{}"), ("---\na: b", #"{"a":"b"}"#), ("a: b # c", #"{"a":"b"}"#), ("a: b#c", #"{"a":"b#c"}"#),
            ("a:\n  b: 1\n  c: true\nd: x y", #"{"a":{"b":1,"c":true},"d":"x y"}"#),
            ("https://api.example/a:\n  read:things: read a thing", #"{"https://api.example/a":{"read:things":"read a thing"}}"#),
            ("a:\n- b\n- 2\nc: d", #"{"a":["b",2],"c":"d"}"#), ("a:\n  - b\n  - c", #"{"a":["b","c"]}"#),
            ("a: [b, https://c.example/d?e=f, 'g, h', \"i\\nj\"]", #"{"a":["b","https://c.example/d?e=f","g, h","i\nj"]}"#),
            ("a: []\nb: {}\nc: ''", #"{"a":[],"b":{},"c":""}"#), ("a: {b: c, d: [e]}", #"{"a":{"b":"c","d":["e"]}}"#),
            ("a:\n  - b: 1\n    c: 2\n  - b: 3", #"{"a":[{"b":1,"c":2},{"b":3}]}"#),
            ("'a b': 'it''s'\n\"c\\\"\": \"d # e\"", #"{"a b":"it's","c\"":"d # e"}"#),
            ("a: Alice's\nb: \"true\"\nc: '12'\nd: '2026-11-23'", #"{"a":"Alice's","b":"true","c":"12","d":"2026-11-23"}"#),
            ("a: |\n  b\n  c\n", #"{"a":"b\nc\n"}"#), ("a: &b [c]\nd: *b", #"{"a":["c"],"d":["c"]}"#),
            ("a: -3\nb: 127.0.0.1\nc: com.example.app:/cb", #"{"a":-3,"b":"127.0.0.1","c":"com.example.app:/cb"}"#),
            ("a:\r\n  b: c\r\n", #"{"a":{"b":"c"}}"#), ("{\"a\":\n [1, {\"b\": null}]}", #"{"a":[1,{"b":null}]}"#),
        ])
    func reads(text: String, expected: String) throws {
        #expect(try YAMLReader.object(text) == JSONReader.object(Array(expected.utf8)))
    }

    @Test(
        "What readers of YAML take for different things, and what is none, is refused by its line",
        arguments: [
            ("a: b\nc: yes", 2), ("a: No", 1), ("a: ~", 1), ("a: null", 1), ("a: 012", 1), ("a: 1.5", 1), ("a: 0x1F", 1), ("a: 12:30:00", 1),
            ("a: 1_000", 1), ("a: 9223372036854775808", 1), ("a: 2026-11-23", 1), ("a: *b", 1), ("a: @b", 1), ("a: %b", 1), ("a: b: c", 1),
            ("a:\n\tb: c", 2), ("a: b\n  c: d", 2), ("a:\n  b: c\n d: e", 3), ("a:\n  b: c\n  b: d", 2), ("a:", 1), ("a:\nb: c", 1),
            ("yes: b", 1), ("a: b\n012: c", 2), ("a: [b, , c]", 1), ("- a\n- b", 1), ("a", 1), ("a: b\n---\nc: d", 2),
            ("a:\n  - b\n  c: d", 3), ("{\"a\":1,\"a\":2}", 1), ("{\"a\":1} x", 1),
        ])
    func refuses(text: String, line: Int) {
        #expect(mistake(text)?.line == line, "\(mistake(text).map { "\($0)" } ?? "it was read")")
    }

    @Test(
        "Whatever is not closed, or named twice, is refused",
        arguments: ["a: [b", "a: 'b", "a: b\na: c", "a: {b: c, b: d}", "a: [b, c] d", "? [a]\n: b"])
    func notWhole(text: String) { #expect(mistake(text) != nil) }

    @Test("Aliases that repeat each other without end are refused, and fill no memory")
    func aliases() {
        let lines = (1..<40).map { "a\($0): &a\($0) [\(Array(repeating: "*a\($0 - 1)", count: 9).joined(separator: ", "))]" }
        #expect(mistake((["a0: &a0 b"] + lines).joined(separator: "\n")) != nil)
    }

    @Test("Whoever nests without end is refused, and no stack with them")
    func deep() {
        #expect(mistake((0..<200).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n") + " b") != nil)
        #expect(mistake("a: " + String(repeating: "[", count: 100_000)) != nil)
        #expect(mistake("a:\n" + String(repeating: "- ", count: 50_000) + "b: c") != nil)
    }

    @Test(
        "What is written is read as it was",
        arguments: [
            "", " a", "a ", "yes", "12", "-1", "true", "a: b", "a:", "#a", "a #b", "[a]", "{", "it's", "\"q\"", "- a", "é", "a\nb", "\u{1B}[31m",
            "a, b",
            "https://api.example/a?b=c&d", "com.example.app:/cb", "read:things", "@", "0x1", "1.5", "~", "'", "a'b", "\\", "?", "a\tb",
        ])
    func writes(text: String) throws {
        let object = JSONObject([
            "a": .string(text), text: .string("b"), "c": .strings([text, "d"]),
            "e": .object(JSONObject(["f": .array([]), "g": .object(JSONObject())])),
            "h": .array([.object(JSONObject(["i": .string(text), "j": .integer(7)]))]), "k": .bool(true),
        ])
        let written = YAMLWriter.text(of: object)
        #expect(try YAMLReader.object(written) == object, "\(written)")
        #expect(!written.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test("JSON with a name twice is told apart from what is no JSON")
    func doubled() throws {
        func problem(_ text: String) -> String? {
            do { _ = try YAMLReader.object(text) } catch { return "\(error)" }
            return nil
        }
        #expect(problem(#"{"apis":{},"apis":{}}"#)?.contains("a name is there twice") == true)
        #expect(problem(#"{"apis":{"a":{"name":"A","name":"B"}}}"#)?.contains("a name is there twice") == true)
        #expect(problem(#"{"apis":"#)?.contains("begins as JSON and is none") == true)
    }

    @Test("The files of docs/admin.md are read, and are what the REST API takes")
    func document() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL
        let page = try String(contentsOf: root.appendingPathComponent("docs/admin.md"), encoding: .utf8)
        let files = page.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        try #require(files.count == 2)
        let object = try YAMLReader.object(files[0])
        #expect(object.names == ["apis", "roles", "applications", "users"])
        #expect(object["applications"]?.object?["night-upload"]?.object?["kind"]?.string == "machine")
        let api = try #require(object["apis"]?.object?["https://api.example.com/timesheets"]?.object)
        #expect(api["scopes"]?.object?.names.count == 4)
        #expect(api["access_token_claims"]?.object?["https://example.com/email"]?.string == "email")
        let registration = try YAMLReader.object(files[1])
        #expect(registration.names == ["mode", "apis", "most_clients", "unused_days"] && registration["mode"]?.string == "token")
    }
}
