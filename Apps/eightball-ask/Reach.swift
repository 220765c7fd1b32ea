import ArgumentParser

/// Which balls a command has to do with.
enum Reach: EnumerableFlag, Sendable {
    case one, all, first, list

    static func name(for value: Reach) -> NameSpecification {
        switch value {
        // Without a flag of its own: it is what happens without one.
        case .one: []
        case .all, .first, .list: .long
        }
    }

    static func help(for value: Reach) -> ArgumentHelp? {
        switch value {
        case .one: .hidden
        case .all: "Ask every ball that is found within --scan-for."
        case .first: "Ask every ball as soon as it is found; print the first answer."
        case .list: "Ask nothing; list balls as they come and go."
        }
    }
}
