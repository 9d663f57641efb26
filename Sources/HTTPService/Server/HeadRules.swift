import NIOHTTP1

/// Takes a request with one Host, or with none where it is older than HTTP/1.1 (RFC 9112 §3.2), whose body is framed in a way that nobody before us can
/// read otherwise (§6.1). Of two hosts, or of codings beside `chunked`, a proxy could look at one and a server at the other. Out of a head that is older than
/// HTTP/1.1 it takes the expectation, which there is none of (§10.1.1 of RFC 9110). ``ConnectionRules`` asks it behind the parser, which is the last to know the
/// version.
enum HeadRules {
    /// Why a head is not taken. The connection ends with it.
    enum Refused: Error {
        /// It names no Host, or more than one.
        case host
        /// It has another transfer coding than `chunked`, or more than one.
        case coding
        /// It has a transfer coding, which HTTP/1.0 does not know.
        case oldCoding
    }

    /// Nil of a head that is taken.
    static func refusal(of head: HTTPRequestHead) -> Refused? {
        let isOld = isOld(head)
        var (hosts, codings, isChunked) = (0, 0, true)
        for (name, value) in head.headers {
            if name.isWord("host") {
                hosts += 1
            } else if name.isWord("transfer-encoding") {
                codings += 1
                isChunked = value.isWord("chunked")
            }
        }
        guard hosts == 1 || hosts == 0 && isOld else { return .host }
        if codings == 0 { return nil }
        if isOld { return .oldCoding }
        return codings == 1 && isChunked ? nil : .coding
    }

    /// Whether it has an expectation that means nothing.
    static func expectsInVain(_ head: HTTPRequestHead) -> Bool { isOld(head) && head.headers.contains(name: "expect") }

    private static func isOld(_ head: HTTPRequestHead) -> Bool { (head.version.major, head.version.minor) < (1, 1) }
}
