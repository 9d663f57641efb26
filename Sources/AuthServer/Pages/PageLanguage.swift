import HTTPTypes
import Hummingbird

/// The languages of the pages, by their tags (BCP 47). The texts of each stand in Assets/texts.json.
enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case dutch = "nl"
    case french = "fr"
    case german = "de"
    case arabic = "ar"

    /// What the address asks for by `?lang=`, else what the browser likes best, else English.
    init(of request: Request) {
        let asked = request.uri.queryParameters["lang"].flatMap { Self(tag: $0) }
        self = asked ?? Self(accepting: request.headers[values: .acceptLanguage].joined(separator: ",")) ?? .english
    }

    /// The language of a tag such as `de-AT`; nil for one that the pages don't speak.
    init?(tag: some StringProtocol) { self.init(rawValue: tag.prefix { $0 != "-" }.lowercased()) }

    /// The best of an `Accept-Language` (RFC 9110 §12.5.4): of those that are liked alike, the first. Nil when none is there, `*` included.
    init?(accepting header: String) {
        var best: (language: PageLanguage, weight: Double)?
        for range in header.split(separator: ",").prefix(Self.mostRanges) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first, let language = Self(tag: tag) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > 0, weight > best?.weight ?? 0 { best = (language, weight) }
        }
        guard let best else { return nil }
        self = best.language
    }

    /// More than any browser sends.
    private static let mostRanges = 20
}
