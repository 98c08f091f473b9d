import Foundation
import PageSite

@main
enum Program {
    static func main() async { exit(await ServeProgram.main(CommandLine.arguments)) }
}
