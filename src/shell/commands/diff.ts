import type { CommandOf } from "../../core/command/command.ts";
import { failWith, ok } from "../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { fileCountsText, leftOutText } from "../../core/view/file-changes.ts";
import { line, toned, type Line, type Tone } from "../../core/view/line.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { diffText, listChanges } from "../git/diff.ts";
import type { FileChange } from "../../core/model/checkpoint.ts";
import type { CommandResult } from "./command-output.ts";
import { loadCastFiles, findSpan } from "./cast-files.ts";

/** [Y14] The changes between two checkpoints, from git's own diff. */
export async function runDiff(workspace: Workspace, command: CommandOf<"diff">): CommandResult {
  const tree = await loadCastFiles(workspace, command.castId);
  if (!tree.ok) return tree;
  const { castId, spans, repository } = tree.value;
  const span = command.place === undefined ? ok(spans.whole) : findSpan(tree.value, command.place);
  if (!span.ok) return span;
  const { from, to } = span.value;
  const between = { cwd: repository.top, from, to };
  const text = await diffText(between, { form: command.as });
  if (!text.ok) return failWith("git_failed", castId, `git cannot compare these checkpoints: ${text.problem}`);
  const files = await listChanges(between);
  const left = leftOutText(spans.left);
  const notes = [
    ...(files.length === 0 ? [line("No file was changed.")] : []),
    ...(left === "" ? [] : [line(toned("dim", `These checkpoints are${left}.`))]),
  ];
  return ok({
    code: 0,
    data: {
      castId,
      ...(command.place === undefined ? {} : { place: command.place }),
      from,
      to,
      ...totalChanges(files),
      files,
      left: spans.left,
      ...(command.as === "patch" ? { patch: text.bytes.toString("utf8") } : {}),
    },
    lines: () => [...diffLines(text.bytes.toString("utf8"), command.as), ...totalLines(files, command.as), ...notes],
    piped: text.bytes,
  });
}

/** [X62] `3 files, +12 −4`; nothing if no file changed or git cannot say it. */
export async function changeCountsText(workspace: Workspace, castId: string): Promise<string | undefined> {
  const tree = await loadCastFiles(workspace, castId);
  if (!tree.ok) return undefined;
  const { repository, spans } = tree.value;
  const files = await listChanges({ cwd: repository.top, from: spans.whole.from, to: spans.whole.to });
  return files.length === 0 ? undefined : fileCountsText(totalChanges(files));
}

function totalLines(files: readonly FileChange[], as: CommandOf<"diff">["as"]): readonly Line[] {
  return as === "names" && files.length > 0 ? [line(toned("dim", fileCountsText(totalChanges(files))))] : [];
}

/** A patch as git prints it, coloured by line; terminal control characters are made visible. */
function diffLines(text: string, as: CommandOf<"diff">["as"]): readonly Line[] {
  const lines = text.replace(/\n$/, "").split("\n");
  if (text === "") return [];
  let isHead = true;
  return lines.map((each) => {
    if (each.startsWith("diff --git ")) isHead = true;
    else if (each.startsWith("@@")) isHead = false;
    const tone = as === "patch" ? diffTone(each, isHead) : "plain";
    return line(toned(tone, sanitizeForTerminal(each)));
  });
}

function diffTone(text: string, isHead: boolean): Tone {
  if (isHead) return "strong";
  if (text.startsWith("@@")) return "accent";
  return text.startsWith("+") ? "ok" : text.startsWith("-") ? "bad" : "plain";
}

/** Counts files and lines; a binary file counts as a file only. */
export function totalChanges(files: readonly FileChange[]) {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { changed: files.length, added: sum("added"), removed: sum("removed") };
}
