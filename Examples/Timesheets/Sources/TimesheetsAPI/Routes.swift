import Hummingbird
import OstiaryResource
import OstiaryResourceHummingbird

/// Longest bodies, in bytes: an entry, and as many of them as an upload may have, so that none is too long whose entries are not.
private let longestEntry = 4_096
private let longestUpload = EntryUpload.mostRows * longestEntry

/// Every route has a guard before it. Whose entries it is about follows from the caller, and from nothing else that they send.
func routes(over store: TimesheetStore, behind verifier: ResourceVerifier) -> Router<CallerContext> {
    let router = Router(context: CallerContext.self)
    router.add(middleware: UnforeseenMiddleware())
    func guarded(_ path: RouterPath, _ scope: String) -> RouterGroup<CallerContext> {
        router.group(path).add(middleware: ResourceMiddleware(verifier, .scope(scope)))
    }

    guarded("timesheets", "read:timesheets").get { request, context in
        EntryPage(try await store.entries(of: try context.verifiedCaller().subject, after: try request.after()))
    }

    guarded("timesheets", "create:timesheets").post { request, context in
        let person = try context.verifiedCaller().subject
        let draft = try EntryDraft(try await request.json(UncheckedEntry.self, most: longestEntry))
        let (entry, isNew) = try await store.add(draft, of: person)
        return EditedResponse(status: isNew ? .created : .ok, response: entry)
    }

    guarded("timesheets/upload", "upload:timesheets").post { request, context in
        let author = try context.verifiedCaller().subject
        let upload = try EntryUpload(try await request.json(EntryUpload.Unchecked.self, most: longestUpload))
        return try await store.add(upload, by: author)
    }

    guarded("approvals", "approve:timesheets").get { request, context in
        EntryPage(try await store.waiting(for: try context.verifiedCaller().subject, after: try request.after()))
    }

    guarded("timesheets/:id/approval", "approve:timesheets").put { _, context in
        let manager = try context.verifiedCaller().subject
        guard let id = context.parameters.get("id").flatMap(Int64.init) else { throw Fault.unknownEntry }
        let (entry, isNew) = try await store.approve(id, by: manager)
        return EditedResponse(status: isNew ? .created : .ok, response: entry)
    }
    return router
}

extension Request {
    /// Behind which entry a page begins: `after` in the address, 0 where it is left out.
    fileprivate func after() throws(Fault) -> Int64 {
        guard let text = uri.queryParameters["after"] else { return 0 }
        guard let after = Int64(text), after >= 0 else { throw .page }
        return after
    }
}
