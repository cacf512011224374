import type { Result } from "../../core/model/issue.ts";
import type { OpenAgentHost } from "../workspace/agent-hosts.ts";
import type { ConfigContext } from "../config/config.ts";

/** What the web UI serves. */
export interface UiRequest {
  readonly place: ConfigContext;
  /** Where casts are kept, where that was said. */
  readonly artifacts?: string;
  /** [B26] The fleet whose casts are shown in place of those that are kept here. */
  readonly on?: string;
  /** The one that this project had before, or any free one, where none is named. */
  readonly port?: number;
  readonly openReal: OpenAgentHost;
  /** Faults that no page is told of. */
  readonly report: (problem: string) => void;
}

export interface UiServer {
  /** With the token: who has it may do what the person at the terminal may. */
  readonly url: string;
  /** Aborts the casts that it drives, and ends all connections. */
  readonly close: () => Promise<void>;
}

/** The port through which faces that have no server open one: apps do not import each other. */
export type OpenUi = (request: UiRequest) => Promise<Result<UiServer>>;
