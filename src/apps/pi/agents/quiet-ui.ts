import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";

/** The user's screen for a gate inside an agent's session: it may ask and tell, and leaves everything else alone. */
export function quietUi(ui: ExtensionUIContext): ExtensionUIContext {
  return {
    ...ui,
    onTerminalInput: () => nothing,
    setStatus: nothing,
    setWidget: nothing,
    setWorkingMessage: nothing,
    setWorkingVisible: nothing,
    setWorkingIndicator: nothing,
    setHiddenThinkingLabel: nothing,
    setFooter: nothing,
    setHeader: nothing,
    setTitle: nothing,
    setEditorText: nothing,
    pasteToEditor: nothing,
    setEditorComponent: nothing,
    addAutocompleteProvider: nothing,
    setToolsExpanded: nothing,
  };
}

function nothing(): void {}
