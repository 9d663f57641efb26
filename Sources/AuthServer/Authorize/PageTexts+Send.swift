import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
import OAuthProvider
import OstiaryTokens

extension PageTexts {
    /// The page that posts an answer to its client (OAuth 2.0 Form Post Response Mode §2). It may send a form there and nowhere else, and nobody keeps
    /// it.
    func sending(_ answer: AuthorizeResponse, in language: PageLanguage) -> Response {
        let fields = answer.parameters.map { #"<input type="hidden" name="\#($0.name)" value="\#(PageSource.escaped($0.value))">"# }.joined()
        let form = #"<form method="post" action="\#(PageSource.escaped(answer.redirect.text))">"# + fields
        let html = String(decoding: asset(.send, in: language).bytes, as: UTF8.self)
            .replacing(#"<form method="post">"#, with: form, maxReplacements: 1)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.rawValue, .cacheControl: "no-store",
                .contentSecurityPolicy: PageFrame.policy([], formTo: answer.redirect.formOrigin),
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }
}

extension AuthorizeRoutes {
    /// The browser takes an answer to its client, the way that the client wants it.
    func answer(_ answer: AuthorizeResponse, in language: PageLanguage) -> Response {
        switch answer.mode {
        case .query: Self.redirect(to: answer.location)
        case .formPost: texts.sending(answer, in: language)
        }
    }

    /// The same for the script of a page: where it goes, and with `form` what it posts there.
    static func telling(_ answer: AuthorizeResponse) -> Response {
        .object { writer in
            switch answer.mode {
            case .query: writer.member("location", answer.location)
            case .formPost:
                writer.member("location", answer.redirect.text)
                writer.name("form")
                writer.object { form in
                    for parameter in answer.parameters {
                        form.name(of: parameter.name)
                        form.string(parameter.value)
                    }
                }
            }
        }
    }

    /// The page of the question: it may post to the client of its visit, if that wants its answer so.
    func questionPage(_ call: BrowserCall) async throws -> Response {
        guard let visit = visit(of: call),
            let receiver = try await oauth.visits.receiver(of: visit.subject, at: call.server, now: call.now)
        else { return texts.response(.consent, to: call.request) }
        // Who gets a form is in the headers, so no browser keeps it.
        let language = PageLanguage(of: call.request)
        var response = texts.asset(.consent, in: language).response
        response.headers[.contentLanguage] = language.rawValue
        response.headers[.contentSecurityPolicy] = PageFrame.policy([], formTo: receiver)
        return response
    }
}
