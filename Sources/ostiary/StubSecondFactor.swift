import ArgumentParser
struct SecondFactorCommand: AsyncParsableCommand { static let configuration = CommandConfiguration(commandName: "second-factor") }
