import Hummingbird

/// Faults in the shape that the middleware has for refusals: `{"error":"…","error_description":"…"}`.
extension Fault: HTTPResponseError {
    private struct Body: ResponseEncodable {
        let error: String
        let description: String
        let field: String?
        let row: Int?

        enum CodingKeys: String, CodingKey {
            case error, field, row
            case description = "error_description"
        }
    }

    var status: HTTPResponse.Status { HTTPResponse.Status(code: answer.status) }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let body = Body(error: answer.error, description: answer.text, field: field, row: row)
        return try EditedResponse(status: status, response: body).response(from: request, context: context)
    }
}
