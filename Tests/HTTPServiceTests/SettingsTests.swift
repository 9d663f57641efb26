import Foundation
import HTTPService
import OstiaryTesting
import Testing

@Suite("Settings")
struct SettingsTests {
    @Test("Command line comes before environment, environment before file")
    func precedence() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("listen: a:1\nadmin_listen: b:1\nserver_name: c\n", to: "ostiary.yaml")
        let settings = try await Settings.load(
            configFile: file, environment: ["OSTIARY_LISTEN": "a:2", "OSTIARY_ADMIN_LISTEN": "b:2", "LISTEN": "x:9"], overrides: [.listen: "a:3"])
        #expect(try settings.text(.listen) == "a:3")
        #expect(try settings.text(.adminListen) == "b:2")
        #expect(try settings.text(.serverName) == "c")
        #expect(try settings.text(.logLevel) == nil)
    }

    @Test("A data folder is a path from the root on, however it was given: what is told of it is good in every folder")
    func dataFolder() {
        let here = FileManager.default.currentDirectoryPath
        let paths = [
            ("data", "\(here)/data"), ("./data", "\(here)/data"), ("../data", "\(here)/../data"), (".", here), ("./.", here),
            (".//data/", "\(here)/data"),
            ("/srv/./data", "/srv/data"), ("//srv//data", "/srv/data"), ("/srv/../data/.", "/srv/../data"), ("/srv/.data", "/srv/.data"), ("/", "/"),
        ]
        for (given, path) in paths { #expect(DataFolder(given).path == path) }
        #expect(DataFolder().path == "\(here)/ostiary-data")
    }

    @Test("Every key is read under the same name from environment and file", arguments: SettingKey.all)
    func sameKeys(key: SettingKey) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("\(key.name): value of \(key.name)\n", to: "ostiary.yaml")
        let fromFile = try await Settings.load(environment: ["OSTIARY_CONFIG": file])
        let fromEnvironment = try await Settings.load(environment: [key.variable: "another value"])
        #expect(try fromFile.text(key) == "value of \(key.name)")
        #expect(try fromEnvironment.text(key) == "another value")
    }

    @Test(
        "A key that does not exist is named, with the one that was probably meant",
        arguments: [
            ("public_ur", "public_ur", ": did you mean public_url?"), ("OSTIARY_LISTEN", "OSTIARY_LISTEN", ": did you mean listen?"),
            ("kek-file", "kek-file", ": did you mean kek_file?"), ("colour", "colour", ""),
        ])
    func unknownKey(line: String, key: String, hint: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("listen: a:1\n\(line): x\n", to: "ostiary.yaml")
        let error = await #expect(throws: SettingsError.self) { try await Settings.load(configFile: file, environment: [:]) }
        #expect(error?.description == "unknown key \(key) in \(file)\(hint)")
    }

    @Test("A key inside another is refused by saying that keys do not nest", arguments: [("listen", "port"), ("server", "listen"), ("sf", "listen")])
    func nested(section: String, key: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("\(section):\n  \(key): 127.0.0.1:8080\n", to: "ostiary.yaml")
        let error = await #expect(throws: SettingsError.nestedKey(section, path: file)) {
            try await Settings.load(configFile: file, environment: [:])
        }
        #expect(error?.description.contains("keys do not nest") == true)
    }

    @Test("What Kubernetes writes for a Service that is called like the program is passed over, and nothing else that looks like it")
    func serviceLinks() async throws {
        let links = [
            "OSTIARY_SERVICE_HOST": "10.0.0.1", "OSTIARY_SERVICE_PORT": "8080", "OSTIARY_SERVICE_PORT_PUBLIC": "8080",
            "OSTIARY_PORT": "tcp://10.0.0.1:8080", "OSTIARY_PORT_8080_TCP": "tcp://10.0.0.1:8080", "OSTIARY_PORT_8080_TCP_ADDR": "10.0.0.1",
            "OSTIARY_SF_SERVICE_HOST": "10.0.0.2", "OSTIARY_SF_PORT": "tcp://10.0.0.2:8090",
        ]
        let settings = try await Settings.load(environment: links.merging(["OSTIARY_LISTEN": "a:1"]) { $1 })
        #expect(try settings.text(.listen) == "a:1")
        for mistaken in ["OSTIARY_LISTN", "OSTIARY_ADMIN_PORT"] {
            await #expect(throws: SettingsError.self) { try await Settings.load(environment: links.merging([mistaken: "a:1"]) { $1 }) }
        }
        await #expect(throws: SettingsError.self) { try await Settings.load(environment: ["OSTIARY_PORT": "8080"]) }
    }

    @Test(
        "A variable that begins as ours do and is none is refused, with the one that was probably meant",
        arguments: [
            ("OSTIARY_LISTN", ": did you mean OSTIARY_LISTEN?"), ("OSTIARY_SF_TRUSTED_SERVER", ": did you mean OSTIARY_SF_TRUSTED_SERVERS?"),
            ("OSTIARY_PUBLIC_ULR", ": did you mean OSTIARY_PUBLIC_URL?"), ("OSTIARY_WHATEVER", ": unset it, or correct its name"),
        ])
    func unknownVariable(name: String, hint: String) async throws {
        let error = await #expect(throws: SettingsError.self) {
            try await Settings.load(environment: ["OSTIARY_LISTEN": "a:1", name: "x"])
        }
        #expect(error?.description == "unknown variable \(name)\(hint)")
    }

    @Test("Variables of either server, of the phone and of other programs are nobody's mistake, nor is an empty one")
    func knownVariables() async throws {
        var environment = Dictionary(uniqueKeysWithValues: SettingKey.all.map { ($0.variable, "x") })
        environment["OSTIARY_PHONE_KEYRING"] = "x"
        environment["OSTIARYX"] = "x"
        environment["OTHER_OSTIARY_LISTN"] = "x"
        environment["OSTIARY_LISTN"] = ""
        _ = try await Settings.load(environment: environment)
    }

    @Test("A file with the API key in it is refused when others can read it; without a secret it may be open", arguments: [0o644, 0o602, 0o606])
    func openFile(mode: Int) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let harmless = try folder.write("listen: a:1\nroot_api_key_file: /run/key\n", to: "harmless.yaml", mode: mode)
        _ = try await Settings.load(configFile: harmless, environment: [:])
        let file = try folder.write("root_api_key: kNf3vQ0z-8LwYb2RtUeXcA\n", to: "ostiary.yaml", mode: mode)
        let error = await #expect(throws: SettingsError.readableByOthers(.rootAPIKey, path: file)) {
            try await Settings.load(configFile: file, environment: [:])
        }
        #expect(error?.description.contains("chmod o-rwx") == true && error?.description.contains("kNf3vQ0z") == false)
    }

    @Test(
        "Its group may read a file with the API key in it, and so may others who cannot enter its folder",
        arguments: [(0o640, 0o755), (0o644, 0o700)])
    func groupFile(mode: Int, folderMode: Int) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: folderMode], ofItemAtPath: folder.path)
        let file = try folder.write("root_api_key: kNf3vQ0z-8LwYb2RtUeXcA\n", to: "ostiary.yaml", mode: mode)
        let settings = try await Settings.load(configFile: file, environment: [:])
        #expect(try settings.secret(.rootAPIKey, file: .rootAPIKeyFile)?.matches("kNf3vQ0z-8LwYb2RtUeXcA") == true)
    }

    @Test("A file that is missing or no YAML mapping is one clear line", arguments: ["- a\n- b\n", "listen: [unclosed\n", "just text", "a:\n\tb: c"])
    func malformed(content: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "ostiary.yaml")
        let error = await #expect(throws: SettingsError.self) { try await Settings.load(configFile: file, environment: [:]) }
        guard case .malformedFile(file, _) = error else { throw try #require(error) }
        #expect(error?.description.contains("\n") == false)
        await #expect(throws: SettingsError.unreadableFile(path: file + "x", reason: "there is no such file")) {
            try await Settings.load(configFile: file + "x", environment: [:])
        }
        let place = folder.file("")
        await #expect(throws: SettingsError.unreadableFile(path: place, reason: "it is a folder: name the file in it")) {
            try await Settings.load(configFile: place, environment: [:])
        }
    }

    @Test("Why a file cannot be read is told as what it is: links in a circle, a file in the place of a folder, a name that is too long")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let circle = folder.file("circle")
        try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: circle)
        let file = try folder.write("listen: a:1\n", to: "it")
        for (path, reason) in [
            (circle, "too many levels of symbolic links"), ("\(file)/it", "not a directory"),
            (folder.file(String(repeating: "x", count: 300)), "file name too long"),
        ] {
            await #expect(throws: SettingsError.unreadableFile(path: path, reason: reason)) {
                try await Settings.load(configFile: path, environment: [:])
            }
            #expect(throws: SecretFileError.unreadable(reason)) { try SecretFile.line(in: path) }
            #expect(throws: LogoError.unreadable(path: path, reason: reason)) { try Logo(file: path) }
        }
    }

    @Test("A file with nothing but comments sets nothing")
    func emptyFile() async throws {
        let folder = try TemporaryFolder()
        let settings = try await Settings.load(configFile: try folder.write("# nothing\n\n", to: "ostiary.yaml"), environment: ["OSTIARY_LISTEN": ""])
        #expect(try settings.text(.listen) == nil)
    }

    @Test("A list is written with commas or as a YAML list")
    func lists() async throws {
        let folder = try TemporaryFolder()
        let yaml = try await Settings.load(configFile: try folder.write("sf_penalties: [0, 0, 1m, 2h]\n", to: "a.yaml"), environment: [:])
        let variable = try await Settings.load(environment: ["OSTIARY_SF_PENALTIES": "0, 0,60 ,7200s"])
        for settings in [yaml, variable] {
            #expect(try settings.list(.sfPenalties) { $0 }?.count == 4)
        }
        #expect(try variable.list(.sfPenalties) { $0 } == ["0", "0", "60", "7200s"])
    }

    @Test(
        "A wrong value names its key",
        arguments: [(SettingKey.listen, "8080"), (.publicURL, "http://example.org"), (.logLevel, "loud"), (.rootAPIKey, "kNf3vQ0z-8LwYb2RtUeXcA\n")])
    func wrongValue(key: SettingKey, value: String) async throws {
        let settings = try await Settings.load(environment: [key.variable: value])
        let error = #expect(throws: SettingsError.self) {
            _ = try settings.listenAddress(.listen)
            _ = try settings.publicURL(.publicURL)
            _ = try settings.logLevel()
            _ = try settings.secret(.rootAPIKey, file: .rootAPIKeyFile)
        }
        guard case .invalid(key, _) = error else { throw try #require(error) }
        #expect(error?.description.contains(key.variable) == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test(
        "A file that is a secret is refused when others can read or write it; its group may, and so may others whom its folder keeps out",
        arguments: [
            (0o444, 0o755, true), (0o644, 0o711, true), (0o602, 0o755, true), (0o604, 0o701, true), (0o640, 0o755, false), (0o440, 0o755, false),
            (0o400, 0o755, false), (0o644, 0o700, false), (0o444, 0o750, false),
        ])
    func openSecrets(mode: Int, folderMode: Int, isRefused: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("correct horse\n", to: "key", mode: mode)
        try FileManager.default.setAttributes([.posixPermissions: folderMode], ofItemAtPath: folder.path)
        let linked = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: linked.path + "/link", withDestinationPath: file)
        for path in [file, linked.path + "/link"] {
            let settings = try await Settings.load(environment: ["OSTIARY_ROOT_API_KEY_FILE": path])
            guard isRefused else {
                #expect(try settings.secret(.rootAPIKey, file: .rootAPIKeyFile)?.matches("correct horse") == true)
                continue
            }
            let error = #expect(throws: SettingsError.openSecret(.rootAPIKeyFile, path: path)) {
                try settings.secret(.rootAPIKey, file: .rootAPIKeyFile)
            }
            #expect(error?.description.contains("chmod") == true && error?.description.contains("horse") == false)
        }
    }

    @Test(
        "A secret has one line: a file or a value with more is refused, and the message repeats none of them",
        arguments: ["correct\nhorse\n", "# the key\nhorse", "correct\r\nhorse\r\n", "\ncorrect\n\nhorse\n"])
    func severalLines(text: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "key")
        for (variable, value) in [("OSTIARY_ROOT_API_KEY_FILE", file), ("OSTIARY_ROOT_API_KEY", text)] {
            let settings = try await Settings.load(environment: [variable: value])
            let error = #expect(throws: SettingsError.self) { try settings.secret(.rootAPIKey, file: .rootAPIKeyFile) }
            let told = try #require(error).description
            #expect(told.contains(variable) && told.contains("more than one line") && !told.contains("horse") && !told.contains("\n"), "\(told)")
        }
        let ended = try await Settings.load(environment: ["OSTIARY_ROOT_API_KEY_FILE": try folder.write("correct horse\r\n", to: "other")])
        #expect(try ended.secret(.rootAPIKey, file: .rootAPIKeyFile)?.matches("correct horse") == true)
    }

    @Test("The file of a secret is read to its end where it comes in pieces, and no further than a secret goes where it has none")
    func pieces() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("correct ".utf8))
        try pipe.fileHandleForWriting.write(contentsOf: Data("horse\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try SecretFile.line(in: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)") == "correct horse")
        let folder = try TemporaryFolder()
        let most = String(repeating: "a", count: SecretFile.mostBytes)
        #expect(try SecretFile.line(in: try folder.write(most, to: "most")) == most)
        let more = try folder.write(most + "a", to: "more")
        #expect(throws: SecretFileError.tooLong) { try SecretFile.line(in: more) }
        // Without an end, and open to all, which is told first.
        #expect(throws: SecretFileError.openToOthers) { try SecretFile.line(in: "/dev/zero") }
        let noText = try folder.write([0xC3, 0x28], to: "none")
        #expect(throws: SecretFileError.unreadable("it holds no text")) { try SecretFile.line(in: noText) }
    }

    @Test("A secret comes as a value or from a file, not both, and never prints")
    func secrets() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("correct horse\n", to: "key")
        let fromFile = try await Settings.load(environment: ["OSTIARY_ROOT_API_KEY_FILE": file])
        let secret = try #require(try fromFile.secret(.rootAPIKey, file: .rootAPIKeyFile))
        #expect(secret.matches("correct horse"))
        #expect(!secret.matches("correct horsf") && !secret.matches("correct hors") && !secret.matches(""))
        #expect("\(secret) \(String(reflecting: secret)) \(Mirror(reflecting: secret).children.count)" == "‹secret› ‹secret› 0")
        let both = try await Settings.load(environment: ["OSTIARY_ROOT_API_KEY_FILE": file, "OSTIARY_ROOT_API_KEY": "x"])
        #expect(throws: SettingsError.givenTwice(.rootAPIKey, .rootAPIKeyFile)) { try both.secret(.rootAPIKey, file: .rootAPIKeyFile) }
        let missing = try await Settings.load(environment: ["OSTIARY_ROOT_API_KEY_FILE": file + "x"])
        #expect(throws: SettingsError.unreadable(.rootAPIKeyFile, path: file + "x", reason: "there is no such file")) {
            try missing.secret(.rootAPIKey, file: .rootAPIKeyFile)
        }
        // Open to all, as folders are: that is not what is wrong.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let inFolder = try await Settings.load(environment: ["OSTIARY_ROOT_API_KEY_FILE": folder.path])
        #expect(throws: SettingsError.unreadable(.rootAPIKeyFile, path: folder.path, reason: "it is a folder: name the file in it")) {
            try inFolder.secret(.rootAPIKey, file: .rootAPIKeyFile)
        }
    }
}
