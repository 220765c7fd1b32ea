internal import CBLEDBus

/// What libdbus waits for on the socket of one connection; used on its loop's thread only.
final class Watches {
    private var all: [OpaquePointer] = []

    /// Whether libdbus has bytes to write: of a message, or of a line that authenticates this end.
    var isWriting: Bool {
        all.contains { watch in
            dbus_watch_get_flags(watch) & DBUS_WATCH_WRITABLE.rawValue != 0
                && dbus_watch_get_enabled(watch) != 0
        }
    }

    /// Has libdbus tell of the watches of a connection, which keeps this object until its end.
    ///
    /// - Returns: whether there was memory for it.
    func attach(to connection: OpaquePointer) -> Bool {
        let context = Unmanaged.passRetained(self)
        let isAttached = dbus_connection_set_watch_functions(
            connection,
            { watch, context in
                if let watch, let context { Watches.of(context).all.append(watch) }
                return 1
            },
            { watch, context in
                if let watch, let context { Watches.of(context).all.removeAll { $0 == watch } }
            },
            // Whether one is enabled is asked before each wait.
            { _, _ in },
            context.toOpaque(),
            { context in
                if let context { Unmanaged<Watches>.fromOpaque(context).release() }
            }
        )
        if isAttached == 0 { context.release() }
        return isAttached != 0
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> Watches {
        Unmanaged<Watches>.fromOpaque(context).takeUnretainedValue()
    }
}
