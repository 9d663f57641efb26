import NIOCore
import NIOHTTP1

/// Knows which request is the last of its connection, and says so in one word, `Connection: close`: everybody behind looks for that and for nothing else. What comes
/// behind such a request is nothing to anybody: nobody answers it, and whoever counts or times what is under way would wait for it for ever. A head that ``HeadRules`` do not
/// take ends a connection, too, and goes no further. Stands right behind ``RequestParser``, and tells it when the parser has stopped.
final class ConnectionRules: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let farewell: Farewell
    private var next = Next.request
    private var hasStopped = false
    /// A head was refused: what comes now is read by nobody.
    private var hasRefused = false
    /// The last request came whole.
    private(set) var isOver = false

    /// - Parameter farewell: the next handler of the same connection, which knows the last request of one whose server stops.
    init(_ farewell: Farewell) {
        self.farewell = farewell
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard farewell.takes() else {
                isOver = true
                return
            }
            next = Next(behind: head)
            return handOn(head, as: data, context)
        case .body: break
        case .end:
            isOver = next == .nothing
            hasStopped = next == .requestAnew
        }
        if !hasRefused { context.fireChannelRead(data) }
    }

    /// - Parameter data: the head as it came, which goes on where nothing of it changes.
    private func handOn(_ head: HTTPRequestHead, as data: NIOAny, _ context: ChannelHandlerContext) {
        guard !hasRefused else { return }
        if let refusal = HeadRules.refusal(of: head) {
            hasRefused = true
            return context.fireErrorCaught(refusal)
        }
        let expectsInVain = HeadRules.expectsInVain(head)
        guard next == .nothing || expectsInVain else { return context.fireChannelRead(data) }
        var head = head
        if next == .nothing { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        if expectsInVain { head.headers.remove(name: "expect") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Those behind would close at once, whatever was not sent yet. (No cast: this is asked for each request.)
        if type(of: event) == ChannelShouldQuiesceEvent.self { return farewell.stop() }
        // That bytes came is said before they are parsed.
        guard !isOver || !(event is FirstByte.Came) else { return }
        context.fireUserInboundEventTriggered(event)
    }

    /// The parser may be at odds with what comes behind the last request, or take it for an error that something comes; and with what follows a head for which
    /// there is an answer already.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hasRefused, !isOver, !farewell.isOver { context.fireErrorCaught(error) }
    }

    /// Whether the parser has stopped, since the request asked for another protocol; once for each.
    func takeStop() -> Bool {
        defer { hasStopped = false }
        return hasStopped
    }
}

/// What comes on a connection behind a request.
enum Next: Equatable {
    case request
    /// A request, which the parser takes for another protocol.
    case requestAnew
    /// Nothing that anybody answers.
    case nothing

    /// Words are found as the parser finds them, byte by byte: if the two were not of one mind, one would stop where the other goes on. It takes what proxies of
    /// old were told as said to itself, an empty `Upgrade` for none, and stumbles over tabs: where one is, the connection ends, which is always right.
    init(behind head: HTTPRequestHead) {
        // Content of CONNECT has no meaning (RFC 9110 §9.3.6), and where it ends the parser does not look.
        var (ends, stays) = (head.method == .CONNECT, (head.version.major, head.version.minor) >= (1, 1))
        var (asks, names) = (false, false)
        for (name, value) in head.headers {
            switch name.utf8.count {
            case 7 where name.isWord("upgrade"): names = names || !value.isEmpty
            case 10 where name.isWord("connection"), 16 where name.isWord("proxy-connection"):
                // What nearly everybody says costs no list.
                if value.isWord("keep-alive") {
                    stays = true
                    continue
                }
                ends = ends || value.utf8.contains { $0 < 32 }
                for word in Self.words(of: value) {
                    if word.isWord("close") { ends = true }
                    if word.isWord("keep-alive") { stays = true }
                    if word.isWord("upgrade") { asks = true }
                }
            default: break
            }
        }
        self = ends || !stays ? .nothing : asks && names ? .requestAnew : .request
    }

    /// The words of a list (RFC 9110 §5.6.1).
    private static func words(of list: String) -> [String] {
        list.utf8.split(separator: 44).map { part in
            var word = part.drop { $0 == 32 }
            while word.last == 32 { word.removeLast() }
            return String(Substring(word))
        }
    }
}
