import Authentication
import Testing

@testable import AuthServer

@Suite("Places of the app")
struct AppPlacesTests {
    private func store(_ package: String) throws -> String? {
        var update = ServerUpdate()
        update.appAndroid = package
        return AppPlaces(try update.applied(to: ServerParameters(name: "Example")))?.android
    }

    @Test("A package has two words or more, each of which begins with a letter", arguments: ["a.b", "com.example.app", "Com.Example_2.a9"])
    func packages(name: String) throws {
        #expect(try store(name) == "https://play.google.com/store/apps/details?id=\(name)")
    }

    @Test(
        "What is no name of a package leads to no store",
        arguments: [
            "", ".", "com", "com.", ".com", "com..app", "1com.app", "com.2app", "com._app", "com.ex ample", "com.exämple", "com.app&x=1", "com.app\n",
        ])
    func noPackages(name: String) throws {
        #expect((try? store(name)) ?? nil == nil)
    }
}
