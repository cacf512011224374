import { quoteWord } from "../../../core/command/words.ts";
import { sanitizeForTerminal } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import { foreignCastIssue } from "../../casting/workspace/foreign.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { CastFile } from "../../store/cast-file.ts";

export function castLineage({ targets, fromCastId }: CastFile) {
  return { targets: targets.map((target) => target.name), fromCastId };
}

/** [S10] Looked at freely, and said to be what it is. */
export function foreignField(workspace: Workspace, file: CastFile): { readonly foreign?: true } {
  return foreignCastIssue(workspace, file) ? { foreign: true } : {};
}

export function foreignLines(workspace: Workspace, file: CastFile): readonly Line[] {
  const issue = foreignCastIssue(workspace, file);
  return issue ? [line(toned("rework", `Foreign: ${sanitizeForTerminal(issue.message)}.`))] : [];
}

/** [B26] What is typed before the commands that are suggested, so that they can be typed as they stand. */
export function programOption({ place: { program }, fleet }: Workspace): { readonly program?: string } {
  if (fleet) return { program: `${program ?? "materia"} --on ${quoteWord(fleet.name)}` };
  return program === undefined ? {} : { program };
}
