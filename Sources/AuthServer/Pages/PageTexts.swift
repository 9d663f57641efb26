import HTTPService
import HTTPTypes
import Hummingbird
import Synchronization

/// The pages of a server in each language. They are read when somebody first asks for one, once for all nodes of the process: a start asks for none, and they were
/// a twenty-fifth of it.
struct PageTexts: Sendable {
    /// Nothing where the file of the program is not what it was, which a test would have told.
    private static let plain = (try? PageSource.catalogue()) ?? [:]
    private static let pages = MadePages(of: plain)

    /// What typed.js says, which the pages of few need: so it is in no page.
    private static let typed = Dictionary(
        uniqueKeysWithValues: PageLanguage.allCases.map { language in
            let json = JSONWriter.bytes { writer in
                writer.object { writer in
                    for name in typedNames {
                        writer.name(of: name)
                        writer.string(plain[language.rawValue]?[name] ?? name)
                    }
                }
            }
            return (language, PageAsset(json, "application/json; charset=utf-8"))
        })

    /// The texts beside the place where an offline code is typed.
    static let typedNames = [
        "typedH", "typedP", "codeLabel", "confirm", "newCode", "failed", "left1", "left2", "typed0", "typed400", "typed404", "typed409", "typed429",
    ]

    /// ``typedNames`` in the language of whoever asks.
    func typedTexts(to request: Request) -> Response {
        let language = PageLanguage(of: request)
        var response = (Self.typed[language] ?? PageAsset([], "application/json")).response(to: request)
        response.headers[.vary] = "Accept-Language"
        response.headers[.contentLanguage] = language.rawValue
        return response
    }

    /// A text by its name, for what is no HTML. Every language says everything: a test has seen to it.
    func text(_ name: String, in language: PageLanguage) -> String { Self.plain[language.rawValue]?[name] ?? name }

    /// Every language has every page: a test makes them all.
    func asset(_ page: PageSource.Page, in language: PageLanguage) -> PageAsset { Self.pages.asset(page, in: language) }

    /// The page in the language of whoever asks.
    func response(_ page: PageSource.Page, to request: Request) -> Response {
        let language = PageLanguage(of: request)
        let asset = asset(page, in: language)
        // Who may frame a page is in the headers, so no browser keeps one that may be framed.
        var response = page == .embed ? asset.response : asset.response(to: request)
        response.headers[.vary] = "Accept-Language"
        response.headers[.contentLanguage] = language.rawValue
        return response
    }
}

/// Each page in each language once it was asked for: all of them were a quarter of a start.
private final class MadePages: Sendable {
    private struct State {
        /// From the first page on.
        var source: PageSource?
        var pages: [PageSource.Page: [PageLanguage: PageAsset]] = [:]
    }

    private let plain: PageSource.Catalogue
    private let state = Mutex(State())

    init(of plain: PageSource.Catalogue) { self.plain = plain }

    /// Takes less than a millisecond the first time, and some for the first of all.
    func asset(_ page: PageSource.Page, in language: PageLanguage) -> PageAsset {
        state.withLock { state in
            if let asset = state.pages[page]?[language] { return asset }
            if state.source == nil { state.source = try? PageSource(plain) }
            let asset = PageAsset((try? state.source?.html(page, in: language)) ?? [], "text/html; charset=utf-8")
            state.pages[page, default: [:]][language] = asset
            return asset
        }
    }
}
