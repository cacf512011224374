import type { InputEvent } from "@earendil-works/pi-coding-agent";
import type { CastingCommand } from "../../../core/command/command.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Options } from "../../../core/command/options.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { CastWatch } from "../screen/cast-watch.ts";
import type { Widget } from "../screen/widget.ts";
import type { SeenCasts, UserSession } from "../session/user-session.ts";
import type { TurnControl } from "../agents/turn-control.ts";
import type { DetachCheck, DetachedAgents } from "./detach.ts";
import type { StopChoice } from "./cast-dialogs.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { Resumption } from "../../../shell/casting/resume-cast.ts";
import type { Screen } from "../screen/screen.ts";

export interface CommandContext {
  readonly user: UserSession;
  readonly screen: Screen;
  readonly state: SessionState;
  /** Switches to another session and says this there, if possible; messages cannot do that. */
  readonly switchTo?: (sessionFile: string, words: string) => Promise<{ readonly cancelled: boolean }>;
  readonly answer: (answer: PersonAnswer) => void;
  readonly run: (command: CastingCommand, options: Options) => void;
}

/** The session's memory of casts. It ends with the session; the journals stay. */
export interface SessionState {
  running?: RunningCast;
  waiting?: WaitingCast;
  isLeaving?: true;
  reload?: () => Promise<void>;
  stopWatching?: () => void;
  closeUi?: () => void;
  readonly heldMessages: UnsentMessage[];
  readonly seen: SeenCasts;
  readonly conversations: Conversations;
}

export interface RunningCast {
  readonly castId: CastId;
  readonly watch: CastWatch;
  readonly stop: (how: StopChoice) => void;
  /** [Z11] Leaves the sleeping cast, so that it can be continued otherwise. */
  readonly release: () => void;
  readonly control: TurnControl;
  /** Aborted when the cast has ended: open questions about it need no answer. */
  readonly endedSignal: AbortSignal;
  /** [X37] Hands the paused cast to a separate process. */
  readonly detach: (agents: DetachedAgents) => Promise<Result<number>>;
  /** The notes to show before. */
  readonly checkDetach: () => Promise<DetachCheck>;
  readonly hasVisibleTurn: () => boolean;
  /** Resolves when all of it has ended; never rejects. */
  readonly done: Promise<void>;
  /** Messages of the person to the agent that is still answering. */
  readonly refinements: string[];
}

export type PersonAnswer = Exclude<Resumption, { kind: "recast" }>;

export interface WaitingCast {
  readonly castId: CastId;
  readonly options: Options;
  readonly widget: Widget;
  /** The dialog of a gate. It closes when the answer comes from elsewhere; typed text is no answer to a gate. */
  readonly dialog?: AbortController;
}

export type UnsentMessage = Pick<InputEvent, "text" | "images">;
