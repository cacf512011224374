import type { Result } from "../../core/model/issue.ts";
import type { OpenAgentHost } from "../workspace/agent-hosts.ts";
import type { ConfigContext } from "../config/config.ts";

export interface UiRequest {
  readonly place: ConfigContext;
  readonly artifacts?: string;
  /** [B26] The fleet whose casts are shown in place of local ones. */
  readonly on?: string;
  /** The port. If none is named: the last one of this project, or a free one. */
  readonly port?: number;
  readonly openReal: OpenAgentHost;
  readonly report: (problem: string) => void;
}

export interface UiServer {
  /** The address with the token. Anyone with it has the rights of the person at the terminal. */
  readonly url: string;
  /** Aborts the casts that it drives, and closes all connections. */
  readonly close: () => Promise<void>;
}

/** The port through which faces without a server open one: apps do not import each other. */
export type OpenUi = (request: UiRequest) => Promise<Result<UiServer>>;

/** [YD11] Holds a draft, as JSON, that the page opens as unsaved changes. */
export const DRAFT_VARIABLE = "MATERIA_DRAFT";
