import HTTPTypes
import Hummingbird

/// The pages of a server in each language.
struct PageTexts: Sendable {
    /// Made once for all nodes of the process.
    static let made = Result { try PageTexts() }

    private let assets: [PageSource.Page: [PageLanguage: PageAsset]]
    private let plain: PageSource.Catalogue

    private init() throws {
        let source = try PageSource()
        var assets: [PageSource.Page: [PageLanguage: PageAsset]] = [:]
        for page in PageSource.Page.allCases {
            for language in PageLanguage.allCases {
                assets[page, default: [:]][language] = PageAsset(try source.html(page, in: language), "text/html; charset=utf-8")
            }
        }
        self.assets = assets
        plain = source.plain
    }

    /// A text by its name, for what is no HTML. Every language says everything: a test has seen to it.
    func text(_ name: String, in language: PageLanguage) -> String { plain[language.rawValue]?[name] ?? name }

    /// Every language has every page: `init` has seen to it.
    func asset(_ page: PageSource.Page, in language: PageLanguage) -> PageAsset { assets[page]?[language] ?? PageAsset([], "text/html") }

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
