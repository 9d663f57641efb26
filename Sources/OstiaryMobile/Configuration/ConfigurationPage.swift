/// The reference of all settings, made from the table; a test holds the checked-in page to it, and writes it.
enum ConfigurationPage {
    static var markdown: String {
        """
        # Configuration

        What an app decides about the SDK: as properties of ``Ostiary/Configuration``, in a JSON object, or in a property list.

        ## Overview

        An unknown key and a bad value are refused with a ``ConfigurationError`` that names the key. What a file leaves out has its default.
        In a property list a key is written as `NA` with a large first letter: `singleAccount` is `\(ConfigurationKey.propertyListName("singleAccount"))`.
        The only other name is `timeoutInactivityAppLogin`, which older documents have for `appLoginInactivityTimeout`.
        A duration is a text such as `5m`, `1h30m` or `2160h`, of the units h, m, s and ms; `0` switches a limit off.

        | Key | Takes | Default | Meaning |
        |---|---|---|---|
        \(ConfigurationKey.all.map(row).joined(separator: "\n"))

        """
    }

    private static func row(_ key: ConfigurationKey) -> String {
        "| `\(key.name)` | \(takes(key.kind)) | \(standard(key.kind)) | \(summary(key)) |"
    }

    private static func takes(_ kind: ConfigurationKey.Kind) -> String {
        switch kind {
        case .duration: "duration"
        case .flag, .count, .label, .pathPrefix, .only, .withoutEffect, .refused: kind.allowed
        }
    }

    private static func standard(_ kind: ConfigurationKey.Kind) -> String {
        let configuration = Ostiary.Configuration()
        return switch kind {
        case .flag(let path): "`\(configuration[keyPath: path])`"
        case .duration(let path): "`\(DurationText.text(configuration[keyPath: path]))`"
        case .count(let path, _): "`\(configuration[keyPath: path])`"
        case .label, .pathPrefix: "empty"
        case .only(let flag): "`\(flag)`"
        case .withoutEffect, .refused: "none"
        }
    }

    private static func summary(_ key: ConfigurationKey) -> String {
        guard case .refused = key.kind else { return key.summary }
        return "Refused: \(key.summary)."
    }
}
