/// The address that brings a browser back to its site, with the return code of one login in its query (protocol §6).
package enum ReturnAddress {
    /// The name of the code in the query.
    package static let codeName = "returncode"

    /// `address` with the code added to its query, before a fragment.
    package static func text(_ address: String, code: [UInt8]) -> String {
        let end = address.firstIndex(of: "#") ?? address.endIndex
        let start = address[..<end]
        return "\(start)\(start.contains("?") ? "&" : "?")\(codeName)=\(Base64URL.encode(code))\(address[end...])"
    }
}
