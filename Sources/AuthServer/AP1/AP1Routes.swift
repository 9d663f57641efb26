import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import OstiaryProtocol

/// The routes of phones: `POST /ap1`, and two addresses that anybody may read.
struct AP1Routes: Sendable {
    let dispatch: AP1Dispatch
    let bundles: BundleMaker
    let servers: ServerService

    func add(to router: Router<ServiceRequestContext>) {
        router.post("/ap1") { request, context in
            let bytes = try await request.bytes()
            let caller = AP1Caller(place: context.place, request: request)
            switch try await dispatch.answer(bytes, from: caller, logger: context.logger) {
            case .answered(let answer): return Response.octets(answer)
            case .outdated(let bundle): return Response.octets(bundle.bytes, status: .conflict)
            case .unreadable: return Response(status: .badRequest)
            }
        }
        router.get("/ap1/bundle/:roothash") { _, context in
            guard let hash = Self.hash(context.parameters.get("roothash")), let server = try await dispatch.vault.server(rootHash: hash)
            else { throw ErrorResponse.notFound }
            return Response.octets(try await bundles.bundle(of: server).bytes)
        }
        router.get("/ap1/logo/:hash") { _, context in
            guard let hash = Self.hash(context.parameters.get("hash")), let logo = try await servers.logo(hash: hash)
            else { throw ErrorResponse.notFound }
            return picture(logo)
        }
    }

    /// 32 bytes as base64url.
    private static func hash(_ text: String?) -> [UInt8]? {
        guard let bytes = text.flatMap({ Base64URL.decode($0) }), bytes.count == 32 else { return nil }
        return bytes
    }
}

/// A picture under the hash of its bytes never changes; whatever it holds, it is shown and not run.
private func picture(_ logo: ServerLogo) -> Response {
    Response(
        status: .ok,
        headers: [
            .contentType: logo.format.rawValue, .cacheControl: "public, max-age=31536000, immutable", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: logo.bytes)))
}

/// A bundle cannot be made before the second-factor server was seen once; then it can be tried again.
extension SecondFactorUnreachable: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        ErrorResponse(
            .serviceUnavailable, "second_factor_unavailable", "the second-factor server does not answer; try again", headers: [.retryAfter: "5"])
    }
}
