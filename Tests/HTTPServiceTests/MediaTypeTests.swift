import HTTPService
import HTTPTypes
import Testing

@Suite("What a body says to be")
struct MediaTypeTests {
    @Test(
        "A type is told in lower case and without what only says UTF-8; what says more, or comes twice, stays whole",
        arguments: [
            ("application/json", "application/json"), ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
            ("Application/JSON", "application/json"), ("application/json; charset=UTF-8", "application/json"),
            ("application/json ;charset=\"utf-8\"", "application/json"), (" application/json", "application/json"),
            ("application/json;", "application/json"), ("application/json; charset=latin1", "application/json; charset=latin1"),
            ("application/jwk-set+json", "application/jwk-set+json"), ("text/plain, text/html", "text/plain, text/html"), ("", ""),
        ])
    func types(field: String, type: String) { #expect(([.contentType: field] as HTTPFields).mediaType == type) }

    @Test("No field is no type, and two are none that anything has")
    func none() {
        #expect(([:] as HTTPFields).mediaType == nil)
        var two: HTTPFields = [.contentType: "application/json"]
        two.append(HTTPField(name: .contentType, value: "application/json"))
        #expect(two.mediaType == "application/json, application/json")
    }
}
