/// The name of an error reply; unknown names are kept.
package struct ErrorName: Hashable, Sendable, RawRepresentable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let failed = ErrorName(rawValue: "org.freedesktop.DBus.Error.Failed")
    package static let noReply = ErrorName(rawValue: "org.freedesktop.DBus.Error.NoReply")
    package static let accessDenied = ErrorName(rawValue: "org.freedesktop.DBus.Error.AccessDenied")
    package static let invalidArguments = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.InvalidArgs"
    )
    package static let serviceUnknown = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.ServiceUnknown"
    )
    package static let nameHasNoOwner = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.NameHasNoOwner"
    )
    package static let unknownMethod = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.UnknownMethod"
    )
    package static let unknownObject = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.UnknownObject"
    )
    package static let unknownInterface = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.UnknownInterface"
    )
    package static let unknownProperty = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.UnknownProperty"
    )
    package static let propertyReadOnly = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.PropertyReadOnly"
    )
    package static let invalidSignature = ErrorName(
        rawValue: "org.freedesktop.DBus.Error.InvalidSignature"
    )
}
