import type { ReactElement } from "react";
import { CopyButton } from "../../../parts/controls/copy.tsx";
import { prettyJson } from "./output.tsx";
import type { VisitProps } from "./reader.tsx";
import { useVisitFile } from "./use-visit-file.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import readerSheet from "./reader.module.css";

const promptCss = bindClassNames(readerSheet, baseSheet);

/** All that the agent was told, or the input of a utility. */
export function PromptTab({ cast, visit }: VisitProps): ReactElement {
  const isUtility = cast.castFile.graph.materia[visit.materia]?.type === "utility";
  const file = useVisitFile(cast, visit, isUtility ? "input.json" : "prompt.md");
  return (
    <div className={promptCss("output")} tabIndex={0} role="region" aria-label="Prompt">
      {file.kind === "text" && (
        <div className={promptCss("copy-place")}>
          <CopyButton text={file.text} what={isUtility ? "the input" : "the prompt"} />
        </div>
      )}
      {file.kind === "text" && <pre className={promptCss("told")}>{isUtility ? prettyJson(file.text) : file.text}</pre>}
      {file.kind === "none" && <p className={promptCss("faint")}>Nothing was kept of what it was told.</p>}
    </div>
  );
}
