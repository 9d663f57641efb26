import HTTPService
import HTTPTypes
import Hummingbird
import QRReading

/// Where a code comes from: a link, a picture, a frame of a screen, or a place that the program itself can look at.
extension PhonePageRoutes {
    func addScans(to router: RouterGroup<ServiceRequestContext>) {
        router.post("link") { request, context in
            let phone = try phone(of: context)
            await phone.follow(try await body(LinkBody.self, request).link)
            return Response.done
        }
        router.post("picture") { request, context in
            let phone = try phone(of: context)
            let file = try await request.bytes(limit: LinkInput.largestFile)
            await phone.begin(try Self.code { () throws(LinkInputError) in try LinkInput.code(in: file, of: "the picture") })
            return Response.done
        }
        router.post("frame") { request, context in
            let phone = try phone(of: context)
            let query = RequestQuery(request)
            try query.check(knows: ["width", "height"])
            guard let width = try query.value("width").flatMap({ Int($0) }), let height = try query.value("height").flatMap({ Int($0) }) else {
                throw FieldRefusal.bad("width", "and height are whole numbers")
            }
            let pixels = try await request.bytes(limit: LinkInput.largestFile)
            return try await look(at: pixels, width, height, with: phone)
        }
        router.post("look") { request, context in
            let phone = try phone(of: context)
            try await request.checkNoBody()
            guard let source = phone.source else { throw PhonePageRefusal.unknown("place to look at") }
            guard let symbol = await source.look() else { throw PhonePageRefusal.noCode("no code is shown there now") }
            await phone.begin(try Self.code { () throws(LinkInputError) in try LinkInput.code(among: [symbol], of: "what is shown there") })
            return Response.done
        }
    }

    /// A frame without a code is none to complain of: the next one comes. So is one with a code of somebody else's.
    private func look(at pixels: [UInt8], _ width: Int, _ height: Int, with phone: PagePhone) async throws -> Response {
        guard await phone.isFree else { return Self.found(false) }
        let symbols: [[UInt8]]
        do throws(QRReaderError) {
            symbols = try QRReader.read(luminance: pixels, width: width, height: height)
        } catch {
            switch error {
            case .noCode: return Self.found(false)
            case .notAnImage, .tooLarge, .damaged, .outOfMemory: throw ErrorResponse.badRequest("these are no pixels of such a frame")
            }
        }
        guard let code = try? LinkInput.code(among: symbols, of: "the frame") else { return Self.found(false) }
        return Self.found(await phone.beginIfFree(code))
    }

    private static func found(_ isFound: Bool) -> Response { .object { $0.member("found", isFound) } }

    private static func code(_ look: () throws(LinkInputError) -> LinkInput.Found) throws(PhonePageRefusal) -> LinkInput.Found {
        do throws(LinkInputError) { return try look() } catch { throw .noCode(error.description) }
    }
}
