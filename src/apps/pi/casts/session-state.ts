import type { InputEvent } from "@earendil-works/pi-coding-agent";
import type { CastingCommand } from "../../../core/command/command.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Options } from "../../../core/command/options.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { CastWatch } from "../screen/cast-watch.ts";
import type { Widget } from "../screen/widget.ts";
import type { UserSession } from "../session/user-session.ts";
import type { TurnControl } from "../agents/turn-control.ts";
import type { DetachCheck, DetachedAgents } from "./detach.ts";
import type { StopChoice } from "./cast-dialogs.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { Resumption } from "../../../shell/casting/resume-cast.ts";
import type { Screen } from "../screen/screen.ts";

/** What one command is carried out with. */
export interface CommandContext {
  readonly user: UserSession;
  readonly screen: Screen;
  readonly state: SessionState;
  /** Leaves this session for another, where that can be done: not for words that no command was typed with. */
  readonly switchTo?: (sessionFile: string) => Promise<{ readonly cancelled: boolean }>;
  /** Tells the cast that waits what the person has said; a refusal is shown. */
  readonly answer: (answer: PersonAnswer) => void;
  /** Sets a cast going; a refusal is shown. */
  readonly run: (command: CastingCommand, options: Options) => void;
}

/** All that this session remembers of casts. It dies with the session; the journals do not. */
export interface SessionState {
  running?: RunningCast;
  waiting?: WaitingCast;
  /** Stops looking at a cast that another process drives. */
  stopWatching?: () => void;
  /** Ends the web UI that was opened from here. */
  closeUi?: () => void;
  readonly heldMessages: HeldMessage[];
  /** What agents of this session's casts have said and done lately. */
  readonly conversations: Conversations;
}

export interface RunningCast {
  readonly castId: CastId;
  readonly watch: CastWatch;
  readonly stop: (how: StopChoice) => void;
  /** The person's hand on the turn that runs now. */
  readonly control: TurnControl;
  /** Aborted when it does not run any more: what was asked about it needs no answer. */
  readonly endedSignal: AbortSignal;
  /** [X37] Hands the cast, once it is stopped, to a process of its own. */
  readonly detach: (agents: DetachedAgents) => Promise<Result<number>>;
  /** What is to be known before that. */
  readonly checkDetach: () => Promise<DetachCheck>;
  /** Whether an agent answers in the user's session now. */
  readonly hasVisibleTurn: () => boolean;
  /** Resolves when nothing of it goes on any more; never rejects. */
  readonly done: Promise<void>;
  /** What the person has said to the agent that is still answering. */
  readonly refinements: string[];
}

/** What a person says to a cast that waits for them. */
export type PersonAnswer = Exclude<Resumption, { kind: "recast" }>;

/** A cast that waits for this person: with an agent that has answered, or at a gate of theirs. */
export interface WaitingCast {
  readonly castId: CastId;
  /** Those of the command that it was started with. */
  readonly options: Options;
  readonly widget: Widget;
  /** The dialog of a gate, which goes when the answer comes from elsewhere; what is typed is no answer to one. */
  readonly dialog?: AbortController;
}

export type HeldMessage = Pick<InputEvent, "text" | "images">;
