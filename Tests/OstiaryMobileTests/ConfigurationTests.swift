import Foundation
import Testing

@testable import OstiaryMobile

@Suite("Configuration")
struct ConfigurationTests {
    private func read(_ text: String) throws -> Ostiary.Configuration { try Ostiary.Configuration(json: Data(text.utf8)) }

    private func refusal(_ text: String) -> ConfigurationError? {
        do throws(ConfigurationError) {
            _ = try Ostiary.Configuration(json: Data(text.utf8))
            return nil
        } catch { return error }
    }

    @Test("S1-09 S1-10 the recommended settings are read from JSON")
    func recommended() throws {
        let configuration = try read(#"{"appLoginInactivityTimeout":"5m","singleAccount":true}"#)
        #expect(configuration.appLoginInactivityTimeout == .seconds(300) && configuration.singleAccount)
        #expect(try read("{}") == Ostiary.Configuration())
    }

    @Test("S1-11 the recommended settings are read from a property list as a system hands it out, among entries of others")
    func propertyList() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleName</key><string>Shop</string>
            <key>NAAppLoginInactivityTimeout</key><string>5m</string>
            <key>NAAppLoginRequired</key><true/>
            <key>NASingleAccount</key><true/>
            <key>NAHideVash</key><false/>
            <key>NAMaxNumberSecondFactorWithoutPIN</key><integer>30</integer>
            </dict></plist>
            """
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        let configuration = try Ostiary.Configuration(propertyList: try #require(list as? [String: Any]))
        #expect(configuration.appLoginInactivityTimeout == .seconds(300) && configuration.singleAccount && !configuration.hidesVisualHash)
        #expect(configuration.maxNumberSecondFactorWithoutPIN == 30)
        #expect(throws: ConfigurationError.unknownKey("NASingelAccount")) { try Ostiary.Configuration(propertyList: ["NASingelAccount": true]) }
        #expect(throws: ConfigurationError.badValue(key: "NASingleAccount", allowed: "true or false")) {
            try Ostiary.Configuration(propertyList: ["NASingleAccount": "YES"])
        }
    }

    @Test(
        "S1-12 S1-41 any duration is taken, under either name of the timeout", arguments: ["appLoginInactivityTimeout", "timeoutInactivityAppLogin"])
    func bothNames(_ key: String) throws {
        for (text, duration) in [
            ("0", Duration.zero), ("30s", .seconds(30)), ("5m", .seconds(300)), ("1h30m", .seconds(5_400)), ("2160h", .seconds(7_776_000)),
            ("1m250ms", .milliseconds(60_250)),
        ] {
            #expect(try read(#"{"\#(key)":"\#(text)"}"#).appLoginInactivityTimeout == duration)
        }
        #expect(try read(#"{"\#(key)":0}"#).appLoginInactivityTimeout == .zero)
    }

    @Test("Both names at once are refused, also when they agree")
    func givenTwice() {
        let text = #"{"appLoginInactivityTimeout":"5m","timeoutInactivityAppLogin":"5m"}"#
        #expect(refusal(text) == .givenTwice(key: "timeoutInactivityAppLogin", as: "appLoginInactivityTimeout"))
    }

    @Test(
        "What is no duration is refused",
        arguments: [
            "", "5", "-5m", "5 m", "m", "5x", "5m5", "1.5h", "+1h", "٥m", "9999999999s", "9999999999ms", "9223372036854775807h", "876601h", "h5",
            "5M", "infinity",
        ])
    func badDuration(_ text: String) {
        guard case .badValue("timeoutAppLogin", _)? = refusal(#"{"timeoutAppLogin":"\#(text)"}"#) else {
            Issue.record("\(text) was taken")
            return
        }
    }

    @Test("S4-88 every setting takes what it should and nothing else, and names itself when it refuses")
    func everyKey() throws {
        for key in ConfigurationKey.all {
            for (value, shape) in [
                ("true", "flag"), ("false", "flag"), ("7", "number"), ("101", "large"), ("-1", "large"), ("\"5m\"", "duration"), ("\"/app\"", "path"),
                ("\"\(String(repeating: "x", count: 257))\"", "long"), ("null", "other"), ("[]", "other"), ("{\"a\":1}", "other"), ("1.5", "other"),
            ] {
                let taken: Bool
                switch key.kind {
                case .flag, .withoutEffect(isFlag: true): taken = shape == "flag"
                case .duration: taken = shape == "duration"
                case .count: taken = shape == "number"
                case .label: taken = shape == "duration" || shape == "path"
                case .pathPrefix: taken = shape == "path"
                case .only(let flag): taken = value == "\(flag)"
                case .withoutEffect(isFlag: false): taken = ["duration", "path", "long"].contains(shape)
                case .refused: taken = false
                }
                let error = refusal(#"{"\#(key.name)":\#(value)}"#)
                #expect((error == nil) == taken, "\(key.name): \(value)")
                if let error { #expect(error.description.hasPrefix(key.name + ": "), "\(error)") }
            }
        }
    }

    /// The names and values of the stored properties.
    private func properties(_ configuration: Ostiary.Configuration) -> [String: String] {
        Dictionary(uniqueKeysWithValues: Mirror(reflecting: configuration).children.map { ($0.label ?? "", "\($0.value)") })
    }

    @Test("Each setting of the table changes one property, and each property has a setting")
    func tableAndStructAgree() throws {
        var reached: Set<String> = []
        for key in ConfigurationKey.all {
            let standard = Ostiary.Configuration()
            let value: String
            switch key.kind {
            case .flag(let path): value = "\(!standard[keyPath: path])"
            case .duration: value = "\"17s\""
            case .count: value = "17"
            case .label: value = "\"seventeen\""
            case .pathPrefix: value = "\"/seventeen\""
            case .only(let flag): value = "\(flag)"
            case .withoutEffect(let isFlag): value = isFlag ? "true" : "\"seventeen\""
            case .refused: continue
            }
            let (old, new) = (properties(standard), properties(try read(#"{"\#(key.name)":\#(value)}"#)))
            let changed = Set(old.keys.filter { old[$0] != new[$0] })
            switch key.kind {
            case .flag, .duration, .count, .label, .pathPrefix:
                #expect(changed.count == 1 && reached.isDisjoint(with: changed), "\(key.name): \(changed)")
            case .only, .withoutEffect, .refused: #expect(changed.isEmpty, "\(key.name): \(changed)")
            }
            reached.formUnion(changed)
        }
        // What `getToken` needs is said in code, and no file has it.
        #expect(reached == Set(properties(Ostiary.Configuration()).keys).subtracting(["tokens"]))
        let names = ConfigurationKey.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
    }

    @Test("Unknown keys, and what is no object, are refused")
    func unknown() {
        #expect(refusal(#"{"singelAccount":true}"#) == .unknownKey("singelAccount"))
        #expect(refusal(#"{"SingleAccount":true}"#) == .unknownKey("SingleAccount"))
        for text in ["", "[]", "5", "{", "null", "\"x\"", "{\"a\":}"] { #expect(refusal(text) == .notAnObject, "\(text)") }
        #expect(refusal(#"{"config":"abc"}"#)?.description.contains("leave it out") == true)
        #expect(refusal(#"{"legacyBioAddFlow":false}"#)?.description == "legacyBioAddFlow: takes true only")
    }

    /// `make generate` writes the page anew.
    @Test("The reference page says what the table says")
    func page() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardizedFileURL
        let page = root.appendingPathComponent("Sources/OstiaryMobile/Documentation.docc/Configuration.md")
        if ProcessInfo.processInfo.environment["OSTIARY_GENERATE"] == "1" {
            try ConfigurationPage.markdown.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == ConfigurationPage.markdown)
    }
}
