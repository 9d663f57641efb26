import Foundation
import Testing

@testable import OstiaryPhone

/// The protocol's pages as HTML.
@Suite("Pages of the documentation as HTML")
struct MarkdownPageTests {
    private func html(_ text: String) -> String { MarkdownPage { $0 == "other.md" ? "/protocol/other" : nil }.html(of: text) }

    @Test("Headings have the anchors that links use, each once")
    func headings() {
        #expect(html("# §5 Enrolment") == "<h1 id=\"5-enrolment\">§5 Enrolment</h1>\n")
        #expect(html("## At the SFS, on a Ticket\n## At the SFS, on a Ticket").components(separatedBy: "id=").count == 2)
        #expect(html("#no heading") == "<p>#no heading</p>\n")
    }

    @Test("A structure in a fence has an anchor by its name, also behind another one on its line; text in a fence is text")
    func fences() {
        let fence = html("```\nPing       { sid[16] }        Stop { sid[16] }\n     sealed = <b>**x**</b>\n```")
        #expect(fence.contains("<b id=\"ping\">Ping</b>       {") && fence.contains("<b id=\"stop\">Stop</b> {"))
        #expect(fence.contains("sealed = &lt;b&gt;**x**&lt;/b&gt;") && !fence.contains("id=\"sealed\""))
        #expect(html("text\n\n    E2 { x }\n    y\n\nmore").contains("<pre tabindex=\"0\"><b id=\"e2\">E2</b> { x }\ny"))
    }

    @Test("Tables, lists within lists, stress, code and links")
    func blocks() {
        let table = html("| a | b |\n|---|---|\n| `x \\| y` | **z** |")
        #expect(table.contains("<th>a</th><th>b</th>") && table.contains("<td><code>x | y</code></td><td><strong>z</strong></td>"))
        let list = html("* one\n  goes on\n* two\n  1. inside\n\n  | t |\n  |---|\n  | u |\n\nafter")
        #expect(list.components(separatedBy: "<li>").count == 4 && list.contains("one goes on"))
        #expect(list.contains("<ol>") && list.contains("<th>t</th>") && list.contains("<td>u</td>"))
        #expect(list.hasSuffix("<p>after</p>\n"))
        #expect(html("[here](other.md) and [there](gone.md) and *so*") == "<p><a href=\"/protocol/other\">here</a> and there and <em>so</em></p>\n")
    }

    @Test("Nothing of a page becomes markup by itself")
    func markup() {
        #expect(html("<script>x</script> & \"q\"") == "<p>&lt;script&gt;x&lt;/script&gt; &amp; &quot;q&quot;</p>\n")
        for tag in ["<img", "<b>", "<i>", "<u>", "<s>"] {
            #expect(!html("# <img src=x>\n| <b> |\n|---|\n| <i> |\n* <u>\n```\n<s>\n```").contains(tag), "\(tag)")
        }
    }

    @Test("Every page of docs/protocol renders whole: each of its words is there")
    func repository() throws {
        let docs = try #require(ProtocolPages.docs(near: URL(fileURLWithPath: #filePath)))
        let pages = ProtocolPages(docs: docs)
        for name in try FileManager.default.contentsOfDirectory(atPath: docs.appendingPathComponent("protocol").path) where name.hasSuffix(".md") {
            let text = try String(contentsOf: docs.appendingPathComponent("protocol/\(name)"), encoding: .utf8)
            let page = try #require(pages.page(name == "README.md" ? "index" : String(name.dropLast(3))))
            // Addresses are no words of a page; those that lead nowhere here are left out.
            let read = text.replacing(/\]\([^)]*\)/, with: "]")
            let words: [Substring] = read.split { !$0.isLetter }
            for word in Set(words) where word.count > 3 { #expect(page.contains(word), "\(name): \(word)") }
        }
    }
}
