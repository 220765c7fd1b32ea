"""The service of BlueChat, as the original app has it; Docs/Wire.md has the bytes."""

SERVICE = "920D5470-95D8-4289-8BF3-504058B0BCB1"
TO_CALLEE = "920D5471-95D8-4289-8BF3-504058B0BCB1"
TO_CALLER = "920D5472-95D8-4289-8BF3-504058B0BCB1"
LEAVE = "920D5473-95D8-4289-8BF3-504058B0BCB1"
# From the call to both subscriptions: then an original gives up.
CALL_SECONDS = 3.0
