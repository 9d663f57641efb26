/// The version of this program, as `--version` says it and CHANGELOG.md lists it.
package let programVersion = "0.1.0"
