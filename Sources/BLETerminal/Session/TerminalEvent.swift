/// What happened at a terminal.
public enum TerminalEvent: Hashable, Sendable {
    /// A key was pressed, or text was pasted.
    case input(Input)
    /// The terminal has this size, at the beginning and when it has changed; draw anew.
    case resized(Size)
    /// The program was stopped and goes on; draw anew. The size may be another one.
    case resumed(Size)
    /// The program is to end, by a signal: `SIGINT`, `SIGQUIT`, `SIGTERM` or `SIGHUP`. The terminal is already as it
    /// was before the session. The last event; another of these but `SIGHUP` ends the program at once.
    case terminated(signal: Int32)
    /// The terminal is gone. The last event.
    case ended
}
