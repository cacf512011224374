import type { CastState } from "../../../core/cast/state.ts";
import type { Options } from "../../../core/command/options.ts";
import { socketOf } from "../../../core/compile/graph.ts";
import { visitText } from "../../../core/view/graph/words.ts";
import { line, toned, wrapLine } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import type { Result } from "../live/result-card.ts";
import { openWidget } from "../live/widget.ts";
import type { Desk } from "./state.ts";

interface Waiting {
  readonly state: CastState;
  /** What the person has said already, while the agent was still answering. */
  readonly refinements: readonly string[];
  readonly result: Result;
  /** Whether the answer stands in the user's session already. */
  readonly seen: boolean;
  readonly options: Options;
}

/** [X17] The cast waits for the person at this screen: what they type next goes to its agent. */
export function waitFor(desk: Desk, { state, refinements, result, seen, options }: Waiting): void {
  const { here, screen } = desk;
  const answer = (result.card.opened ?? result.card.lines).flatMap((each) => wrapLine(each, screen.width()));
  if (!seen) screen.answer({ lines: answer, data: null, code: 4 });
  const lines = waitingLines(state);
  const widget = openWidget(here.ctx, { lines: () => lines, status: () => "‖ materia waits for you" });
  desk.state.waiting = { castId: state.castId, options, widget };
  const said = refinements.join("\n\n");
  if (said !== "") desk.refine(said);
}

export function stopWaiting({ state }: Pick<Desk, "state">): void {
  state.waiting?.widget.close();
  delete state.waiting;
}

function waitingLines({ phase, graph, castId }: CastState): readonly Line[] {
  const socket = phase.kind === "waiting" ? socketOf(graph, phase.visit.socket) : undefined;
  return [
    line(
      toned("wait", "‖ waiting for you"),
      "  ",
      toned("strong", socket ? visitText(socket.id, socket.materia) : ""),
      toned("dim", `  ${castId}`),
    ),
    line(
      "type to refine",
      toned("dim", " · "),
      toned("accent", "/materia continue"),
      toned("dim", " takes the result and goes on · "),
      toned("accent", "/materia abort"),
      toned("dim", " stops it"),
    ),
  ];
}
