/// The parameters of a request, of which each may come once (RFC 6749 §3.1). One without a value counts as left out.
package struct Parameters: Sendable {
    package let all: [Parameter]

    package init(_ all: [Parameter]) { self.all = all.filter { !$0.value.isEmpty } }

    /// The value; of a name that came twice the first, so look at `repeated` before.
    package subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    package func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// The first name that came twice. `resource` may (RFC 8707 §2).
    package var repeated: String? {
        var seen: Set<String> = []
        return all.first { $0.name != "resource" && !seen.insert($0.name).inserted }?.name
    }
}
