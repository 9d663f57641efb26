import Foundation
import HTTPService
import OstiaryTesting
import Testing

@Suite("Mistakes in the YAML file")
struct YAMLMistakeTests {
    private static let key = "5ec2e7e502526f6cb18d520b78f3e395"
    private static let form = "a line begins with a name that docs/operations.md lists, and a colon"
    private static let letters = "CorrectHorseBatteryStapleOnTheMoon"

    private func mistake(in content: String) async throws -> (error: SettingsError, file: String) {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "ostiary.yaml")
        let error = await #expect(throws: SettingsError.self) { try await Settings.load(configFile: file, environment: [:]) }
        return (try #require(error), file)
    }

    @Test(
        "A mistake in a file with the API key in it is told in one line, by its place where it has one, and never by what the file says",
        arguments: [
            ("root_api_key: KEY\nlisten: a:1\nlisten: b:1\n", "listen stands in line 2 and again in line 3"),
            ("root_api_key: KEY\nlisten: a:1\n\"root_api_key\": KEY\n", "root_api_key stands in line 1 and again in line 3"),
            ("listen: a:1\nroot_api_key: \"KEY\npublic_url: x\n", "line 4, column 1"),
            ("listen: a:1\nroot_api_key KEY\npublic_url: x\n", "line 3, column "),
            ("listen: a:1\nroot_api_key: x: KEY\n", "line 2, column 16"),
            ("listen: a:1\nroot_api_key:\n  KEY: x\n", "root_api_key in "),
            ("listen: [a\nroot_api_key: KEY\n", "line 2, column 13"),
            ("root_api_key: {KEY: {KEY: 1}}\n", "root_api_key in "), ("root_api_key: [[KEY]]\n", "each line is a name"),
            ("root_api_key: KEY\n? [KEY]\n: x\n", "each line is a name"), ("root_api_key: *KEY\n", "line 1, column 15"),
            ("root_api_key: KEY\u{7}\n", "line 1, column"), ("- KEY\n", "each line is a name"), ("KEY", "each line is a name"),
        ], [key, letters])
    func malformed(form: (text: String, words: String), key: String) async throws {
        let (error, file) = try await mistake(in: form.text.replacing("KEY", with: key))
        #expect(!error.description.contains(key) && !error.description.contains("\n"))
        #expect(error.description.contains(form.words) && error.description.contains(file), "\(error)")
    }

    @Test(
        "A name that could be the API key is told by its line, with the name that was probably meant",
        arguments: [
            ("listen: a:1\nKEY: x\n", "unknown key in line 2 of FILE: \(form)"),
            ("listen: a:1\nroot_api_key KEY: x\n", "unknown key in line 2 of FILE: did you mean root_api_key?"),
            ("listen: a:1\n\"KEY\":\n  x: 1\n", "unknown key in line 2 of FILE: \(form)"),
            ("listen: a:1\nKey.KEY: x\n", "unknown key in line 2 of FILE: \(form)"),
            ("listen: a:1\n\nOSTIARY_SECOND_FACTOR_URL: x\n", "unknown key in line 3 of FILE: did you mean second_factor_url?"),
        ], [key, letters])
    func unnamed(form: (text: String, sentence: String), key: String) async throws {
        let (error, file) = try await mistake(in: form.text.replacing("KEY", with: key))
        #expect(error.description == form.sentence.replacing("FILE", with: file))
    }
}
