import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// Shows the page with each answer that this process made it, and not another that took the port when this one had ended.
///
/// The page sends a challenge that it drew, and gets the challenge's code under a key that stands in its address and goes over no line: what the page sends
/// to whoever listens is of no use there. What is thrown further in is answered behind this, so that refusals are proved, too.
struct PageProof<Context: RequestContext>: RouterMiddleware {
    static var challenge: HTTPField.Name { HTTPField.Name("X-Phone-Challenge")! }
    static var proof: HTTPField.Name { HTTPField.Name("X-Phone-Proof")! }
    /// Letters of a challenge at most.
    static var longest: Int { 64 }

    /// The part of the page's address that is sent to nobody.
    let key: SecretText

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        let challenges = request.headers[values: Self.challenge]
        if let challenge = challenges.first, challenges.count == 1, challenge.utf8.count <= Self.longest {
            response.headers[Self.proof] = Self.text(of: key.code(of: challenge))
        }
        return response
    }

    /// Hexadecimal.
    static func text(of code: [UInt8]) -> String { Hexadecimal.text(code) }
}
