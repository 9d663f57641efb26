import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("PlainPicture")
struct PlainPictureTests {
    @Test("A43: a picture has at most 2048 pixels a side, by what its head says, whatever its bytes weigh", arguments: [true, false])
    func size(isPNG: Bool) {
        let make = { (width: Int, height: Int) in
            PlainPicture(isPNG ? TestPicture.png(width: width, height: height) : TestPicture.jpeg(width: width, height: height))
        }
        let kind = isPNG ? PlainPicture.png : .jpeg
        #expect(make(1, 1) == kind && make(2_048, 2_048) == kind)
        for (width, height) in [(2_049, 1), (1, 2_049), (20_000, 20_000), (0, 8), (8, 0)] { #expect(make(width, height) == nil) }
        if isPNG { #expect(make(1 << 31, 1 << 31) == nil) }
    }

    @Test("What has a picture's first bytes and no head is none, and no prefix of a head is")
    func heads() {
        let (png, jpeg) = (TestPicture.png(), TestPicture.jpeg())
        for length in 0..<33 { #expect(PlainPicture(Array(png[..<length])) == nil) }
        // Up to the last byte of the width.
        for length in 0..<17 { #expect(PlainPicture(Array(jpeg[..<length])) == nil) }
        #expect(PlainPicture(Array(png[..<8]) + Array("<html><svg/></html>".utf8)) == nil)
        #expect(PlainPicture([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0, count: 50)) == nil)
        #expect(PlainPicture([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF]) == nil)
        #expect(PlainPicture(png + [UInt8](repeating: 0, count: 65_536 - png.count)) == .png)
        #expect(PlainPicture(png + [UInt8](repeating: 0, count: 65_537 - png.count)) == nil)
    }

    @Test("A43: a JPEG has no more scans than pictures have: each goes over all of it")
    func scans() {
        #expect(PlainPicture(TestPicture.jpeg(scans: 10)) == .jpeg)
        #expect(PlainPicture(TestPicture.jpeg(scans: 33)) == nil)
    }

    @Test(
        "An SVG of shapes, texts, groups and gradients is a plain one, as programs write it",
        arguments: [
            #"<svg xmlns='http://www.w3.org/2000/svg'/>"#,
            #"<?xml version="1.0" encoding="UTF-8"?>\#n<!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg"><g><path d="M0 0h9v9z"/></g ></svg>\#n"#,
            ##"<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" width="9" height="9"><defs><linearGradient id="a"><stop offset="0" style="stop-color:#fff; stop-opacity:1;"/></linearGradient></defs><rect width="9" height="9" fill="url(#a)" style="stroke:url('#a')"/></svg>"##,
            "\u{FEFF}<svg><title>é &amp; è</title><text x=\"1\" y = '2'>A > B</text></svg>",
        ])
    func drawings(text: String) {
        #expect(PlainPicture(Array(text.utf8)) == .svg)
    }

    @Test(
        "A43: nothing in an SVG is drawn again and again, moves, is filtered, comes from elsewhere, or runs",
        arguments: [
            ##"<g id="a"><rect/></g><use href="#a"/>"##, ##"<g id="a"><rect/></g><x:use xlink:href="#a"/>"##, #"<USE href="x"/>"#,
            #"<pattern id="a"/>"#, #"<filter id="a"/>"#, #"<mask id="a"/>"#, #"<clipPath id="a"/>"#, #"<marker id="a"/>"#, #"<symbol id="a"/>"#,
            #"<rect><animate attributeName="x"/></rect>"#, #"<set/>"#, #"<script/>"#, #"<style>*{fill:red}</style>"#, #"<image href="x"/>"#,
            #"<foreignObject/>"#, #"<a href="https://evil.example/"><rect/></a>"#, #"<svg/>"#, #"<rect onload="x"/>"#, #"<rect href="x"/>"#,
            #"<rect filter="x"/>"#, #"<rect stroke-dasharray=".001"/>"#, #"<rect style="filter:blur(9px)"/>"#,
            #"<rect style="fill:red;animation:x 1s"/>"#, #"<rect style="fill:url(https://evil.example/)"/>"#, #"<rect fill="url(x)"/>"#,
            ##"<rect fill="url(#a) URL( 'x' )"/>"##, #"<rect style="fi\6cter:x"/>"#, #"<rect fill="u&#114;l(x)"/>"#, #"<![CDATA[x]]>"#,
            #"<?xml-stylesheet href="x"?>"#, #"<!DOCTYPE svg>"#, #"<!-- x "#, #"<rect"#, #"<rect x=1/>"#, #"<rect x="<"/>"#, #"<rect x="1"y="2"/>"#,
            #"<g></rect>"#, #"</g>"#, #"</svg><svg>"#, #"</svg>x<svg>"#,
        ])
    func refused(content: String) {
        #expect(PlainPicture(TestPicture.svg(content)) == nil)
    }

    @Test("What stands around an SVG is nothing: no document type, no other text, one encoding")
    func around() {
        let svg = "<svg/>"
        for text in [
            "x\(svg)", "\(svg)x", "<html>\(svg)</html>", "\(svg)<html><body onload=alert(1)>", "<!DOCTYPE svg [<!ENTITY a 'aaaa'>]>\(svg)",
            "<?xml version='1.0' encoding='UTF-7'?>\(svg)", "<?xml-stylesheet href='x'?>\(svg)", " ", "<svg>", "<!-- <svg/> -->",
        ] {
            #expect(PlainPicture(Array(text.utf8)) == nil)
        }
        #expect(PlainPicture([0xFF] + Array(svg.utf8)) == nil)
        #expect(PlainPicture(Array(svg.utf16.flatMap { [UInt8($0), 0] })) == nil)
    }

    @Test("A43: an SVG has at most 1,000 elements, 16 deep")
    func bounds() {
        let levels = { (count: Int) in String(repeating: "<g>", count: count) + String(repeating: "</g>", count: count) }
        #expect(PlainPicture(TestPicture.svg(String(repeating: "<g/>", count: 999))) == .svg)
        #expect(PlainPicture(TestPicture.svg(String(repeating: "<g/>", count: 1_000))) == nil)
        #expect(PlainPicture(TestPicture.svg(levels(15))) == .svg)
        #expect(PlainPicture(TestPicture.svg(levels(16))) == nil)
    }

    @Test("A43: an SVG has at most 4,096 bytes of text, wherever it stands in it: marks upon marks on one letter hold up whoever draws them")
    func text() {
        let marks = { (count: Int) in String(repeating: "\u{301}", count: count) }
        #expect(PlainPicture(TestPicture.svg("<text>\(marks(2_048))</text>\n  <!-- \(marks(9_000)) -->\n")) == .svg)
        #expect(PlainPicture(TestPicture.svg("<text>a\(marks(2_048))</text>")) == nil)
        // Entities are as many bytes as they are written with.
        #expect(PlainPicture(TestPicture.svg("<text>\(String(repeating: "&#x301;", count: 586))</text>")) == nil)
        let texts = { (count: Int) in String(repeating: "<text>\(marks(32))</text>\n", count: count) }
        #expect(PlainPicture(TestPicture.svg(texts(64))) == .svg)
        #expect(PlainPicture(TestPicture.svg(texts(65))) == nil)
        // Spaces between elements are none of it.
        #expect(PlainPicture(TestPicture.svg("<g>\(String(repeating: " \n", count: 9_000))</g>")) == .svg)
    }

    @Test(
        "A43: one outline of an SVG has at most 16,384 bytes, and 4,096 where anything has a stroke, whose joins cost more than the bytes tell",
        arguments: [("<path d=\"", "\""), ("<polygon points='", "'"), ("<g><polyline points=\"", "\"")])
    func outlines(beginning: String, end: String) {
        let drawing = { (count: Int, attribute: String, more: String) in
            let outline = String(String(repeating: "1 2 ", count: count / 4 + 1).prefix(count))
            let close = beginning.hasPrefix("<g") ? "</g>" : ""
            return PlainPicture(TestPicture.svg("\(beginning)\(outline)\(end) \(attribute)/>\(close)\(more)"))
        }
        #expect(drawing(16_384, "fill='red'", "") == .svg && drawing(16_385, "fill='red'", "") == nil)
        // Each for itself.
        #expect(drawing(16_384, "", "<path d=\"\(String(repeating: "h1v1", count: 4_096))\"/>") == .svg)
        for stroke in [
            "stroke='red'", "stroke=' Red '", "style='stroke:red'", "style='stroke:none;stroke:red'", "stroke=''",
            "stroke='inherit'", "style='stroke:/**/red'",
        ] {
            #expect(drawing(4_096, stroke, "") == .svg, "\(stroke)")
            #expect(drawing(4_097, stroke, "") == nil, "\(stroke)")
        }
        for none in [
            "stroke='none'", "stroke=' None '", "style='stroke:none'", "style='fill:red;stroke: none ;'", "stroke-width='90'",
            "stroke-linejoin='round'",
        ] {
            #expect(drawing(16_384, none, "") == .svg, "\(none)")
        }
        // It comes from around the outline, too, and from behind it.
        #expect(drawing(4_097, "", "<rect stroke='red'/>") == nil)
    }

    @Test("No prefix of a plain drawing is one")
    func prefixes() {
        let svg = TestPicture.svg(#"<!-- x --><g fill="red"><rect x='1'/></g>"#)
        for length in svg.indices { #expect(PlainPicture(Array(svg[..<length])) == nil) }
        #expect(PlainPicture(svg) == .svg)
    }
}
