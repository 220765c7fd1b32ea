import ArgumentParser
import Glibc

/// The soak: days of use in minutes, and what is in use meanwhile.
@main
struct Soak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Asks and answers for days of virtual time, and fails when anything grows.",
        discussion: """
            Everything is real but the radio and the time: a bus, bluetoothd's double on it, four \
            adapters, balls and askers of the SDK and original ones. Questions are answered at once \
            or late, refused, or given up; links rest and end; balls go out of range, adapters lose \
            their power or are pulled out, bluetoothd dies every hour; strangers pass by.

            The exit status is 1 when something grew beyond its bound, or when a question hung, was \
            lost, or got another one's answer.
            """,
        subcommands: [Day.self, Processes.self],
        defaultSubcommand: Day.self
    )
}
