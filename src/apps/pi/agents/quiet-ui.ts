import type { ExtensionContext, ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { deferDialogs } from "../tui/calm-dialogs.ts";

/** The user's screen for a gate inside an agent's session: it may ask and tell, and leaves everything else alone. */
export function restrictedUi(
  ui: ExtensionUIContext,
  mode: ExtensionContext["mode"],
  hold: () => () => void,
): ExtensionUIContext {
  const calm = deferDialogs(ui, mode);
  // [X32] While the person makes up their mind, the agent is not silent.
  const asking = <T>(dialog: Promise<T>): Promise<T> => dialog.finally(hold());
  return {
    ...ui,
    select: (...asked) => asking(calm.select(...asked)),
    confirm: (...asked) => asking(calm.confirm(...asked)),
    input: (...asked) => asking(ui.input(...asked)),
    editor: (...asked) => asking(ui.editor(...asked)),
    custom: (...asked) => asking(ui.custom(...asked)),
    onTerminalInput: () => doNothing,
    setStatus: doNothing,
    setWidget: doNothing,
    setWorkingMessage: doNothing,
    setWorkingVisible: doNothing,
    setWorkingIndicator: doNothing,
    setHiddenThinkingLabel: doNothing,
    setFooter: doNothing,
    setHeader: doNothing,
    setTitle: doNothing,
    setEditorText: doNothing,
    pasteToEditor: doNothing,
    setEditorComponent: doNothing,
    addAutocompleteProvider: doNothing,
    setToolsExpanded: doNothing,
  };
}

function doNothing(): void {}
