import Foundation
import OstiaryProtocol
import Testing

@Suite("docs/protocol says what the program does")
struct ProtocolDocumentTests {
    let pages: ProtocolPages
    let reader: FenceReader

    init() throws {
        (pages, reader) = try ProtocolPages.read.get()
    }

    @Test("Each field of a structure has the name, the place and the size that its fence says", arguments: FenceCase.all)
    func layout(_ each: FenceCase) throws {
        let found = try reader.read(each.structure, from: each.bytes)
        let fields = SampleFields(each.value)
        for field in found {
            if let constant = field.constant {
                #expect(field.value == .number(constant), "\(each.structure).\(field.path) is not always what the fence says")
            } else if !field.path.isEmpty {
                let held = fields[field.path]
                #expect(held != nil, "the fence of \(each.structure) names \(field.path); if a property stands for it, SampleFields.names says which")
                #expect(held == nil || held == field.value, "\(each.structure).\(field.path) is another field than the fence says")
            }
        }
    }

    @Test("Every structure that travels has a fence, and every fence is of a structure that the tests know")
    func complete() throws {
        #expect(try FenceCase.all.count == WireStructTests.cases.count + FenceCase.extensions().count)
        let known = Set(FenceCase.all.map(\.structure))
        #expect(known.subtracting(reader.fences.keys).isEmpty, "these have no fence")
        #expect(Set(reader.fences.keys).subtracting(known).isEmpty, "these have no sample")
    }

    @Test(
        "The samples tell apart whatever could be mistaken for its neighbour: numbers of one width do not hold the same",
        arguments: FenceCase.all)
    func distinct(_ each: FenceCase) throws {
        let numbers = try reader.read(each.structure, from: each.bytes).filter { $0.constant == nil && $0.width != nil }
        for width in [1, 2, 4, 8] {
            let fields = numbers.filter { $0.width == width }
            for (field, next) in zip(fields, fields.dropFirst()) {
                #expect(field.value != next.value, "\(each.structure): \(field.path) and \(next.path)")
            }
        }
    }

    @Test("Each signature is made under the label that the fence says", arguments: FenceCase.all)
    func labels(_ each: FenceCase) throws {
        let said = try #require(reader.fences[each.structure]).fields.last?.label
        switch each.value {
        case let signed as any OperatorSigned: #expect(type(of: signed).label.rawValue == said)
        case let signed as any DeviceSigned: #expect(type(of: signed).label.rawValue == said)
        default: #expect(said == nil || each.structure == "OpCert" && said == Label.op.rawValue)
        }
    }

    @Test("Types, status values, labels and extensions are those of §2")
    func numbers() throws {
        let types = try pages.types()
        #expect(Set(types.values) == Set(MessageType.allCases.map(\.rawValue)))
        for each in WireStructTests.cases where types[each.structure] != nil { #expect(each.bytes[1] == types[each.structure]) }
        #expect(try pages.statuses() == Dictionary(uniqueKeysWithValues: Status.allCases.map { ($0.rawValue, $0.documented) }))
        #expect(try pages.labels() == Label.allCases.map(\.rawValue))
        #expect(try pages.extensions() == FenceCase.extensionTypes)
    }

    @Test("Each section of the protocol that a source, a vector or a page cites is there")
    func citations() throws {
        var headings: Set<String> = []
        let cryptography = try String(contentsOf: ProtocolPages.project.appendingPathComponent("docs/cryptography.md"), encoding: .utf8)
        for page in pages.pages.values + [cryptography] {
            for line in page.split(separator: "\n") where line.hasPrefix("#") {
                headings.formUnion(line.matches(of: /§(\d+(?:\.\d+)?)/).map { String($0.1) })
            }
        }
        for folder in ["Sources", "Tests", "Vectors", "docs"] {
            let files = FileManager.default.enumerator(at: ProtocolPages.project.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where ["swift", "json", "md"].contains(file.pathExtension) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /protocol §(\d+(?:\.\d+)?)/) where !headings.contains(String(match.1)) {
                    Issue.record("\(file.lastPathComponent) cites protocol §\(match.1), which no page has")
                }
            }
        }
    }

    @Test(
        "What stands in a list has its names, places and sizes, too",
        arguments: [
            "{ devices list<(id[16], name v8, time u64)> }", "{ devices list<(id[16], device v8, time u32)> }",
            "{ devices list<(device v8, id[16], time u64)> }", "{ devices list<(id[16], device v16, time u64)> }",
            "{ devices list<(device v8, time u64)> }",
            "{ device v8, time u64 }",
        ])
    func wrongList(_ text: String) throws {
        let told = try #require(FenceCase.all.first { $0.structure == "NewDevices" })
        #expect(try isWrong("NewDevices \(text)", of: told))
        #expect(try !isWrong("NewDevices { devices list<(id[16], device v8, time u64)> }", of: told))
    }

    @Test(
        "A fence that is wrong is found: a field more, a field less, another size, two fields exchanged",
        arguments: [
            "E4 { state u8, otpRef u32, otpKey[32], flags u16, ext v16, more u8 }", "E4 { state u8, otpRef u32, otpKey[32], flags u16 }",
            "E4 { state u8, otpRef u64, otpKey[32], flags u16, ext v16 }", "E4 { otpRef u32, state u8, otpKey[32], flags u16, ext v16 }",
            "E4 { state u8, otpRef u32, otpKey v8(32), flags u16, ext v16 }", "E4 { state u8, ext u32, otpKey[32], flags u16, otpRef v16 }",
        ])
    func wrongFence(_ text: String) throws {
        let e4 = try #require(FenceCase.all.first { $0.structure == "E4" })
        #expect(try isWrong(text, of: e4))
    }

    /// Whether a fence does not say what the bytes of a sample are.
    private func isWrong(_ text: String, of each: FenceCase) throws -> Bool {
        let fence = try #require(try FenceParser.structures(in: "```\n\(text)\n```").first)
        let wrong = FenceReader(fences: [each.structure: fence], types: reader.types)
        let fields = SampleFields(each.value)
        guard let found = try? wrong.read(each.structure, from: each.bytes) else { return true }
        return found.contains { fields[$0.path] != $0.value }
    }
}
