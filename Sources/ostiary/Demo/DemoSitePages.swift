/// The pages of the demonstration's website.
enum DemoSitePages {
    /// - Parameter again: whether a browser came back with a code that was not for it.
    static func outside(again: Bool) -> String {
        page("The door is closed", (again ? startAgain : "<p>Nobody is logged in here.</p>") + "\n" + forms)
    }

    private static let startAgain = """
        <p role="alert">That login did not begin in this browser, or took too long. Nobody is logged in here: start again here.
        If somebody sent you a link or a code, they may have wanted to use your phone for their own login.</p>
        """

    private static let forms = """
        <form method="post" action="/login"><button>Log in</button></form>
        <form method="post" action="/enrol" class="new">
        <label>New here? Your name <input name="name" required maxlength="40" autocomplete="off"></label>
        <button class="plain">Enrol</button>
        </form>
        """

    static func inside(_ user: String, amr: [String]) -> String {
        page(
            "Come in, \(escaped(user))",
            """
            <p>getSession says that you are <strong>\(escaped(user))</strong>\(amr.isEmpty ? "" : " (\(escaped(amr.joined(separator: ", "))))").</p>
            <form method="post" action="/logout"><button>Log out</button></form>
            """)
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

    private static func page(_ title: String, _ body: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Hallway</title><link rel="stylesheet" href="/style.css"></head>
        <body><main><p class="name">Hallway</p><h1>\(title)</h1>
        \(body)
        </main></body></html>
        """
    }

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
        button.plain { background: transparent; color: inherit; border: 1px solid; justify-self: start }
        """
}
