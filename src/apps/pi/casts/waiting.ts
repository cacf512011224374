import { askedPersonMateria } from "../../../core/cast/question.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import type { Options } from "../../../core/command/options.ts";
import { socketOf } from "../../../core/compile/graph.ts";
import { visitLabel } from "../../../core/view/graph/words.ts";
import { line, toned, wrapLine, type Line } from "../../../core/view/text/line.ts";
import { thrownMessage } from "../../../core/model/values/text.ts";
import type { CastResult } from "../cards/result-card.ts";
import { openWidget } from "../live/widget.ts";
import { askGate } from "../input/gate-dialog.ts";
import type { CommandContext, WaitingCast } from "./state.ts";

interface WaitDetails {
  readonly state: CastState;
  /** What the person has said already, while the agent was still answering. */
  readonly refinements: readonly string[];
  readonly result: CastResult;
  /** Whether the answer stands in the user's session already. */
  readonly seen: boolean;
  readonly options: Options;
}

/** [X17] The cast waits for the person at this screen: what they type next goes to its agent. */
export function waitForPerson(context: CommandContext, { state, refinements, result, seen, options }: WaitDetails): void {
  const { user, screen } = context;
  const answer = result.lines.flatMap((each) => wrapLine(each, screen.width()));
  if (!seen || askedPersonMateria(state)) screen.showAnswer({ lines: answer, data: null, code: 4 });
  const widget = openWidget(user.ctx, {
    lines: (width) => waitingLines(state, width),
    status: () => "‖ materia waits for you",
  });
  const waiting = { castId: state.castId, options, widget };
  if (askedPersonMateria(state)) return waitAtGate(context, waiting, state);
  context.state.waiting = waiting;
  const said = refinements.join("\n\n");
  if (said !== "") context.answer({ kind: "answer", text: said });
}

/** [Q8] A dialog asks; put off, the answer is a command. */
function waitAtGate(context: CommandContext, waiting: WaitingCast, { phase }: CastState): void {
  const { user, screen, state } = context;
  const dialog = new AbortController();
  state.waiting = { ...waiting, dialog };
  const question = phase.kind === "waiting" ? phase.reply : "";
  askGate(user.ctx, question, dialog.signal).then(
    (said) => void (said && !dialog.signal.aborted && context.answer(said)),
    (thrown: unknown) => screen.note(`materia: ${thrownMessage(thrown)}`, "error"),
  );
}

export function stopWaiting({ state }: Pick<CommandContext, "state">): void {
  state.waiting?.dialog?.abort();
  state.waiting?.widget.close();
  delete state.waiting;
}

function waitingLines(state: CastState, width: number): readonly Line[] {
  const { phase, graph, castId } = state;
  const socket = phase.kind === "waiting" ? socketOf(graph, phase.visit.socket) : undefined;
  return [
    line(
      toned("wait", "‖ waiting for you"),
      "  ",
      toned("strong", socket ? visitLabel(socket.id, socket.materia) : ""),
      toned("dim", `  ${castId}`),
    ),
    ...wrapLine(askedPersonMateria(state) ? GATE_LINE : AGENT_LINE, width),
  ];
}

const AGENT_LINE = line(
  "type to refine",
  toned("dim", " · "),
  toned("accent", "/materia continue"),
  toned("dim", " approves, refines or edits it · "),
  toned("accent", "/materia abort"),
  toned("dim", " stops it"),
);

const GATE_LINE = line(
  toned("accent", "/materia continue"),
  toned("dim", " says yes · "),
  toned("accent", "/materia continue --reject <reason>"),
  toned("dim", " says no · "),
  toned("accent", "/materia abort"),
  toned("dim", " stops it"),
);
