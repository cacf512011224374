import type { Parsed } from "../../../core/command/parse.ts";
import { parseText } from "../../../core/command/parse.ts";
import { ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import { never } from "../../../core/model/values/never.ts";
import { line } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import type { Answer } from "../../../shell/commands/answer/answer.ts";
import { help } from "../../../shell/commands/help.ts";
import { answer } from "../../../shell/commands/perform.ts";
import type { AnsweredCommand } from "../../../shell/commands/perform.ts";
import { trustsForeign } from "../session/foreign.ts";
import { openPlace } from "../session/place.ts";
import { begin } from "./casting.ts";
import { deliverHeld } from "./messages.ts";
import type { Desk } from "./state.ts";
import { stopWaiting } from "./waiting.ts";

/** [X1] What was typed after `/materia`: read by the same grammar, with the same meaning, as on the command line. */
export async function perform(desk: Desk, text: string): Promise<void> {
  const parsed = parseText(text);
  const done = parsed.ok ? await carryOut(desk, parsed.value) : parsed;
  if (!done.ok) desk.screen.refuse(done.issues);
}

async function carryOut(desk: Desk, { command, options }: Parsed): Promise<Result<undefined>> {
  const { screen } = desk;
  switch (command.kind) {
    case "help":
      show(desk, help(command.topic), options);
      return ok(undefined);
    case "cast":
    case "link":
    case "continue":
    case "recast": {
      const begun = await begin(desk, command, options);
      if (!begun.ok) return begun;
      // [X4] Where nobody looks on, Pi leaves as soon as the command returns.
      if (!screen.live) await begun.value.done;
      return ok(undefined);
    }
    case "demo":
      return (await import("./demo.ts")).demo(desk);
    case "ui":
      return (await import("./ui.ts")).openUi(desk, command);
    case "abort":
      return abort(desk, command, options);
    case "casts":
    case "prune":
    case "status":
    case "show":
    case "doctor":
    case "budget":
    case "loadout":
    case "materia":
    case "grid":
    case "check":
    case "init":
      return look(desk, command, options);
    default:
      return never(command);
  }
}

async function look(desk: Desk, command: AnsweredCommand, options: Parsed["options"]): Promise<Result<undefined>> {
  const { screen, here } = desk;
  const place = openPlace(here.ctx, options);
  if (!place.ok) return place;
  const { workspace, from, left } = place.value;
  const found = await answer(command, workspace, from);
  if (!found.ok) return found;
  show(desk, found.value, options);
  if (left) screen.note(noteOf(left), "warning");
  return ok(undefined);
}

function show({ screen }: Desk, { code, data, lines }: Answer, { json }: Parsed["options"]): void {
  screen.answer({ lines: json ? jsonLines(data) : lines(screen.width()), data, code });
}

function jsonLines(data: unknown): readonly Line[] {
  return JSON.stringify(data, undefined, 2)
    .split("\n")
    .map((text) => line(text));
}

function noteOf({ message, hint }: { readonly message: string; readonly hint?: string }): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}

/** [X5] The cast of this session is stopped here and shows its end; any other is stopped through its journal. */
async function abort(
  desk: Desk,
  command: Extract<AnsweredCommand, { kind: "abort" }>,
  options: Parsed["options"],
): Promise<Result<undefined>> {
  const { running } = desk.state;
  if (running && (command.castId === undefined || command.castId === running.castId)) {
    running.abort();
    await running.done;
    return ok(undefined);
  }
  const castId = command.castId ?? desk.state.waiting?.castId;
  const done = await lookAsked(desk, castId === undefined ? command : { ...command, castId }, options);
  if (done.ok && castId !== undefined && castId === desk.state.waiting?.castId) {
    stopWaiting(desk);
    deliverHeld(desk);
  }
  return done;
}

/** [S10] An abort ends programs, so that of a cast of somebody else is asked about. */
async function lookAsked(
  desk: Desk,
  command: Extract<AnsweredCommand, { kind: "abort" }>,
  options: Parsed["options"],
): Promise<Result<undefined>> {
  const done = await look(desk, command, options);
  const isNamed = command.castId !== undefined;
  if (done.ok || !isNamed || !(await trustsForeign(desk.here.ctx, done.issues))) return done;
  return look(desk, { ...command, trust: true }, options);
}
