/// An interface of an exported object: methods, properties and signals.
package struct ExportedInterface: Sendable {
    /// A method and its handler.
    package struct Method: Sendable {
        package let name: String
        package let arguments: [Argument]
        package let results: [Argument]

        /// Called on the connection's loop for each call, in the order of arrival; the types of the
        /// arguments have been checked.
        package let handler: @Sendable (MethodCall) -> Void

        package init(
            _ name: String,
            arguments: [Argument] = [],
            results: [Argument] = [],
            handler: @escaping @Sendable (MethodCall) -> Void
        ) {
            self.name = name
            self.arguments = arguments
            self.results = results
            self.handler = handler
        }
    }

    /// The name and the type of an argument or a result, for introspection.
    package struct Argument: Sendable {
        package let name: String
        package let type: Signature

        package init(_ name: String, _ type: Signature) {
            self.name = name
            self.type = type
        }
    }

    /// A property; its value, if it has one, is in ``ExportedInterface/values``.
    package struct Property: Sendable {
        package let name: String
        package let type: Signature
        package let isWritable: Bool

        package init(_ name: String, _ type: Signature, isWritable: Bool = false) {
            self.name = name
            self.type = type
            self.isWritable = isWritable
        }
    }

    /// A signal, for introspection.
    package struct Signal: Sendable {
        package let name: String
        package let arguments: [Argument]

        package init(_ name: String, arguments: [Argument] = []) {
            self.name = name
            self.arguments = arguments
        }
    }

    package let name: String
    package let methods: [Method]
    package let signals: [Signal]
    package let properties: [Property]

    /// The current values of the properties.
    package var values: [String: Value]

    /// Called on the loop when a peer sets a writable property, with a value of its type; replies,
    /// and updates the value if it accepts.
    package let onSet: (@Sendable (MethodCall, _ property: String, Value) -> Void)?

    package init(
        _ name: String,
        methods: [Method] = [],
        signals: [Signal] = [],
        properties: [Property] = [],
        values: [String: Value] = [:],
        onSet: (@Sendable (MethodCall, _ property: String, Value) -> Void)? = nil
    ) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
        self.values = values
        self.onSet = onSet
    }
}
