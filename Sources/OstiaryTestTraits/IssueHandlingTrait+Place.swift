import Testing

extension IssueHandlingTrait {
    /// Tells with each issue where it was found.
    package static func telling(_ place: String) -> IssueHandlingTrait {
        .compactMapIssues { issue in
            var issue = issue
            issue.comments.append("\(place)")
            return issue
        }
    }
}
