import type { ReactElement } from "react";
import { pathText } from "../../../../../core/model/issue.ts";
import type { Issue } from "../../../../../core/model/issue.ts";

/** Problems in words: what, where, and the way out where there is one. */
export function Issues({ issues }: { readonly issues: readonly Issue[] }): ReactElement | null {
  if (issues.length === 0) return null;
  return (
    <div role="alert">
      <ul className="issues">
        {issues.map((issue) => (
          <li
            key={`${issue.code} ${place(issue)} ${issue.message}`}
            className={`note ${issue.severity === "error" ? "bad" : "rew"}`}
          >
            {place(issue) !== "" && <code>{place(issue)}</code>} {issue.message}
            {issue.hint !== undefined && <div className="sub">{issue.hint}</div>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function place({ file, path }: Issue): string {
  return [...(file === undefined ? [] : [file]), ...(path.length === 0 ? [] : [pathText(path)])].join(" ");
}
