import OAuthProvider
import Testing

@Suite("Forms: application/x-www-form-urlencoded")
struct FormTextTests {
    private func read(_ text: String) -> [Parameter]? { FormText.parameters(Array(text.utf8)) }

    @Test("Parameters come in their order, each as often as it came; a plus is a space, an escape its byte")
    func reads() {
        #expect(read("") == [] && read("&&") == [])
        #expect(read("a=1&b=2&a=3") == [Parameter("a", "1"), Parameter("b", "2"), Parameter("a", "3")])
        #expect(read("a=b+c%20d%2Bd&e=%C3%A9%E2%82%AC") == [Parameter("a", "b c d+d"), Parameter("e", "é€")])
        #expect(read("a=b=c&d&=e&f=") == [Parameter("a", "b=c"), Parameter("d", ""), Parameter("", "e"), Parameter("f", "")])
        #expect(read("%61%3D=%26") == [Parameter("a=", "&")])
        #expect(read("a=%4f%4F") == [Parameter("a", "OO")])
        #expect(read("&a=1&") == [Parameter("a", "1")] && read("=") == [Parameter("", "")])
        // What lies in no one piece is read alike.
        #expect(FormText.parameters("a=%2b&b=é".utf8.lazy.map { $0 }) == [Parameter("a", "+"), Parameter("b", "é")])
    }

    @Test(
        "An escape that is none, and bytes that are no UTF-8, are nobody's form",
        arguments: ["a=%", "a=%4", "a=%g0", "%=a", "a=%ff", "a=%:0", "a=%0@", "a=%/0", "a=%0G", "a=%`0", "a=%+1", "a=%C3", "a&b=%C3%28"])
    func refuses(text: String) { #expect(read(text) == nil) }

    @Test("Bytes that are no UTF-8 as they came, also where two escapes would make them whole")
    func rawBytes() {
        #expect(FormText.parameters([0x61, 0x3D, 0xFF]) == nil)
        #expect(FormText.parameters([0x61, 0x3D, 0xC3] + Array("%A9".utf8)) == nil)
        #expect(FormText.parameters(Array("a=é".utf8)) == [Parameter("a", "é")])
    }
}
