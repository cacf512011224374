import type { ReactElement } from "react";
import { pathText, type Issue } from "../../../core/model/issue.ts";
import { css } from "./classes.ts";
import { asSentence } from "./status.tsx";

export function IssueList({ issues }: { readonly issues: readonly Issue[] }): ReactElement | null {
  if (issues.length === 0) return null;
  return (
    <div role="alert">
      <ul className={css("issues")}>
        {issues.map((issue) => (
          <li
            key={`${issue.code} ${issueLocation(issue)} ${issue.message}`}
            className={css(`note ${issue.severity === "error" ? "bad" : "rework"}`)}
          >
            {issueLocation(issue) !== "" && <code>{issueLocation(issue)}</code>} {asSentence(issue.message)}
            {issue.hint !== undefined && <div className={css("secondary")}>{asSentence(issue.hint)}</div>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function issueLocation({ file, path }: Issue): string {
  return [...(file === undefined ? [] : [file]), ...(path.length === 0 ? [] : [pathText(path)])].join(" ");
}
