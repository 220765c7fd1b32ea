/// The introspection data of an object.
///
/// Source: D-Bus specification, "Introspection Data Format".
enum Introspection {
    static func xml(
        interfaces: [ExportedInterface],
        hasProperties: Bool,
        managesObjects: Bool,
        isExported: Bool,
        children: [String]
    ) -> String {
        var lines = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
            #""http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
            "<node>",
        ]
        if isExported { lines.append(standard(StandardInterface.introspectable)) }
        lines += interfaces.map(xml)
        if hasProperties { lines.append(standard(StandardInterface.properties)) }
        if managesObjects { lines.append(standard(StandardInterface.objectManager)) }
        lines += children.map { #"  <node name="\#($0)"/>"# }
        lines.append("</node>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func xml(_ interface: ExportedInterface) -> String {
        var lines = [#"  <interface name="\#(interface.name)">"#]
        for method in interface.methods {
            lines.append(#"    <method name="\#(method.name)">"#)
            lines += method.arguments.map { argument($0, #" direction="in""#) }
            lines += method.results.map { argument($0, #" direction="out""#) }
            lines.append("    </method>")
        }
        for signal in interface.signals {
            lines.append(#"    <signal name="\#(signal.name)">"#)
            lines += signal.arguments.map { argument($0, "") }
            lines.append("    </signal>")
        }
        for property in interface.properties {
            let access = property.isWritable ? "readwrite" : "read"
            lines.append(
                #"    <property name="\#(property.name)" type="\#(property.type)" "#
                    + #"access="\#(access)"/>"#
            )
        }
        lines.append("  </interface>")
        return lines.joined(separator: "\n")
    }

    private static func argument(
        _ argument: ExportedInterface.Argument,
        _ direction: String
    ) -> String {
        #"      <arg name="\#(argument.name)" type="\#(argument.type)"\#(direction)/>"#
    }

    private static func standard(_ name: String) -> String {
        let members =
            switch name {
            case StandardInterface.introspectable:
                """
                    <method name="Introspect"><arg name="xml" type="s" direction="out"/></method>
                """
            case StandardInterface.objectManager:
                """
                    <method name="GetManagedObjects">
                      <arg name="objects" type="a{oa{sa{sv}}}" direction="out"/>
                    </method>
                    <signal name="InterfacesAdded">
                      <arg name="object" type="o"/>
                      <arg name="interfaces" type="a{sa{sv}}"/>
                    </signal>
                    <signal name="InterfacesRemoved">
                      <arg name="object" type="o"/>
                      <arg name="interfaces" type="as"/>
                    </signal>
                """
            default:
                """
                    <method name="Get">
                      <arg name="interface" type="s" direction="in"/>
                      <arg name="name" type="s" direction="in"/>
                      <arg name="value" type="v" direction="out"/>
                    </method>
                    <method name="Set">
                      <arg name="interface" type="s" direction="in"/>
                      <arg name="name" type="s" direction="in"/>
                      <arg name="value" type="v" direction="in"/>
                    </method>
                    <method name="GetAll">
                      <arg name="interface" type="s" direction="in"/>
                      <arg name="properties" type="a{sv}" direction="out"/>
                    </method>
                    <signal name="PropertiesChanged">
                      <arg name="interface" type="s"/>
                      <arg name="changed_properties" type="a{sv}"/>
                      <arg name="invalidated_properties" type="as"/>
                    </signal>
                """
            }
        return "  <interface name=\"\(name)\">\n\(members)\n  </interface>"
    }
}
