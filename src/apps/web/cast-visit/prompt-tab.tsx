import type { ReactElement } from "react";
import type { SentPrompt } from "../../../core/view/report/prompt-parts.ts";
import { bindSheets } from "../ui/classes.ts";
import { CopyButton } from "../ui/export-text.tsx";
import { prettyJson, useVisitFile } from "./output-tab.tsx";
import type { VisitProps } from "./visit-panel.tsx";
import readerSheet from "./visit.module.css";

const css = bindSheets(readerSheet);

/** The prompt of the agent, or the input of a utility. */
export function PromptTab({ cast, visit }: VisitProps): ReactElement {
  const isUtility = cast.castFile.graph.materia[visit.materia]?.type === "utility";
  const file = useVisitFile(cast, visit, isUtility ? "input.json" : "prompt.md");
  const parts = useVisitFile(cast, visit, isUtility ? null : "prompt-parts.json");
  const sent = parts.kind === "text" ? (JSON.parse(parts.text) as SentPrompt).parts : undefined; // the server wrote it
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Prompt">
      {file.kind === "text" && (
        <div className={css("copy-place")}>
          <CopyButton text={file.text} what={isUtility ? "the input" : "the prompt"} />
        </div>
      )}
      {sent?.map(({ title, text, tokens, chars, reused }, index) => (
        <details key={index} open>
          <summary>{`${title}: ${tokens} tokens${reused ? `, ${Math.floor((100 * reused) / chars)} % from a cache` : ""}`}</summary>
          <pre className={css("told")}>{text}</pre>
        </details>
      ))}
      {/* Not before the parts: a replaced text would lose the marked words. */}
      {file.kind === "text" && !sent && (isUtility || parts.kind === "none") && (
        <pre className={css("told")}>{isUtility ? prettyJson(file.text) : file.text}</pre>
      )}
      {file.kind === "none" && <p className={css("faint")}>Nothing was kept of what it was told.</p>}
    </div>
  );
}
