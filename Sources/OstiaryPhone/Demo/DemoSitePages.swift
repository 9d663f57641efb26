/// The pages of the demonstration's website.
enum DemoSitePages {
    /// What went wrong before the page, as its address says it.
    enum Trouble: String, CaseIterable {
        /// A browser came back with a code that was not for it.
        case again
        /// Nobody can be enrolled under the name that was typed.
        case name

        fileprivate var words: String {
            switch self {
            case .again: startAgain
            case .name: badName
            }
        }
    }

    /// - Parameters:
    ///   - end: why nobody is in any more who was.
    ///   - answer: of getSession, as it came.
    static func outside(_ trouble: Trouble?, end: SessionEnd?, answer: String) -> String {
        let reason = end.map { #"<p role="alert" data-end="\#($0.rawValue)">\#($0.sentence)</p>"# }
        let beginning = trouble?.words ?? reason ?? "<p>Nobody is logged in here.</p>"
        return page("The door is closed", beginning + "\n" + forms + spelled(answer), isIn: false)
    }

    private static let startAgain = """
        <p role="alert">That login did not begin in this browser, or took too long. Nobody is logged in here: start again here.
        If somebody sent you a link or a code, they may have wanted to use your phone for their own login.</p>
        """

    private static let badName = """
        <p role="alert">Nobody can be called that here: a name has letters that can be seen, and at most 40 of them. Nobody was enrolled; try another name.</p>
        """

    private static let forms = """
        <form method="post" action="/login"><button>Log in</button></form>
        <form method="post" action="/enrol" class="new">
        <label>New here? Your name <input name="name" required maxlength="40" autocomplete="off"></label>
        <button class="plain">Enrol</button>
        </form>
        """

    static func inside(_ user: String, amr: [String], answer: String) -> String {
        page(
            "Come in, \(escaped(user))",
            """
            <p>getSession says that you are <strong>\(escaped(user))</strong>\(amr.isEmpty ? "" : " (\(escaped(amr.joined(separator: ", "))))").</p>
            <form method="post" action="/logout"><button>Log out</button></form>
            \(spelled(answer))
            """, isIn: true)
    }

    /// The answer as it came, for whoever wants to see it.
    private static func spelled(_ answer: String) -> String {
        """
        <details><summary>What getSession answers</summary>
        <pre tabindex="0" aria-label="Answer of getSession" data-answer>\(escaped(answer))</pre></details>
        """
    }

    static let missing = page("There is no such room", #"<p>Nothing is at this address.</p><p><a href="/">Back to the hallway</a></p>"#)

    static let trouble = page(
        "That did not work", #"<p>Wait a moment, then try again from the hallway.</p><p><a href="/">Back to the hallway</a></p>"#)

    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }

    /// - Parameter isIn: whether somebody is logged in on it; nil of a page that nobody watches.
    private static func page(_ title: String, _ body: String, isIn: Bool? = nil) -> String {
        let script = isIn == nil ? "" : #"<script type="module" src="/hallway.js"></script>"#
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) · Hallway</title><link rel="stylesheet" href="/style.css">\(script)</head>
            <body\(isIn.map { #" data-in="\#($0)""# } ?? "")><main><p class="name">Hallway</p><h1>\(title)</h1>
            \(body)
            </main></body></html>
            """
    }

    /// Looks every other second, while somebody looks at the page, whether the session is still what the page says.
    static let script = """
        const answer = document.querySelector("[data-answer]");
        const isIn = document.body.dataset.in === "true";
        async function look() {
          if (!document.hidden) {
            const said = await fetch("/session", { cache: "no-store" }).then((r) => (r.ok ? r.json() : null)).catch(() => null);
            if (said) {
              answer.textContent = said.session;
              if (Boolean(said.loggedin) !== isIn) return location.replace("/");
            }
          }
          setTimeout(look, 2000);
        }
        setTimeout(look, 2000);
        """

    static let style = """
        :root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f4f1ea, #1c1b19) }
        main { padding: 2.5rem; width: min(26rem, 90vw); box-sizing: border-box; border-radius: 1rem; background: light-dark(#fff, #2a2825) }
        .name { margin: 0; letter-spacing: .1em; text-transform: uppercase; font-size: .8rem; opacity: .7 }
        h1 { margin: .2rem 0 1rem; font-size: 1.6rem }
        form { margin: 1rem 0 0 }
        .new { margin-top: 2rem; display: grid; gap: .6rem }
        input { font: inherit; padding: .5rem; width: 100%; box-sizing: border-box }
        button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .5rem; background: #1e5f66; color: #fff; cursor: pointer }
        details { margin-top: 2rem; font-size: .85rem }
        pre { overflow-x: auto; padding: .6rem; background: light-dark(#f4f1ea, #1c1b19); white-space: pre-wrap; overflow-wrap: anywhere }
        button.plain { background: transparent; color: inherit; border: 1px solid; justify-self: start }
        """
}
