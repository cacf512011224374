import type { ReactElement } from "react";
import { pathText, type Issue } from "../../../../../core/model/issue.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "./marks.module.css";

const css = classesOf(marksSheet, baseSheet);

/** Problems in words: what, where, and the way out where there is one. */
export function Issues({ issues }: { readonly issues: readonly Issue[] }): ReactElement | null {
  if (issues.length === 0) return null;
  return (
    <div role="alert">
      <ul className={css("issues")}>
        {issues.map((issue) => (
          <li
            key={`${issue.code} ${place(issue)} ${issue.message}`}
            className={css(`note ${issue.severity === "error" ? "bad" : "rework"}`)}
          >
            {place(issue) !== "" && <code>{place(issue)}</code>} {issue.message}
            {issue.hint !== undefined && <div className={css("secondary")}>{issue.hint}</div>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function place({ file, path }: Issue): string {
  return [...(file === undefined ? [] : [file]), ...(path.length === 0 ? [] : [pathText(path)])].join(" ");
}
