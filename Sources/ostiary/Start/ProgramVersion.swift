/// The version of this program, as `--version` says it and CHANGELOG.md lists it.
let programVersion = "0.1.0"
