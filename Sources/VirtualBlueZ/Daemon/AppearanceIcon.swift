/// The icon that BlueZ names for what a device looks like.
///
/// Source: BlueZ, src/dbus-common.c, `gap_appearance_to_icon`.
enum AppearanceIcon {
    /// - Returns: `nil` for an appearance that has none.
    static func name(of appearance: UInt16) -> String? {
        switch (appearance >> 6, appearance & 0x3f) {
        case (0x00, _): "unknown"
        case (0x01, _): "phone"
        case (0x02, _): "computer"
        case (0x05, _): "video-display"
        case (0x0a, _): "multimedia-player"
        case (0x0b, _), (0x0f, 0x08): "scanner"
        case (0x0f, 0x01): "input-keyboard"
        case (0x0f, 0x02): "input-mouse"
        case (0x0f, 0x03), (0x0f, 0x04): "input-gaming"
        case (0x0f, 0x05): "input-tablet"
        default: nil
        }
    }
}
