/// The parameters of a request, of which each may come once (RFC 6749 §3.1). One without a value counts as left out.
package struct Parameters: Sendable {
    package let all: [Parameter]

    package init(_ all: [Parameter]) { self.all = all.filter { !$0.value.isEmpty } }

    /// The value; of a name that came twice the first, so look at `repeated` before.
    package subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    package func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// The first name that came twice, as an error may tell it. `resource` may (RFC 8707 §2).
    package var repeated: String? {
        var seen: Set<String> = []
        guard let name = all.first(where: { $0.name != "resource" && !seen.insert($0.name).inserted })?.name else { return nil }
        // Whoever made the link chose the name: what an `error_description` can't hold (RFC 6749 §5.2), or nobody would write, is not said back.
        return (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(NQCharacter.isOne) ? name : "a parameter"
    }
}
