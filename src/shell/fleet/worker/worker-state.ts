/** The one state of a worker. `/health`, its log, its row in the database and its exit code follow from it. */
export type WorkerState =
  | { readonly kind: "starting" | "running" | "draining" | "drained" | "evicted" }
  | { readonly kind: "failed"; readonly reason: string };

export type WorkerStateKind = WorkerState["kind"];

const NEXT_STATES: Readonly<Record<WorkerStateKind, readonly WorkerStateKind[]>> = {
  starting: ["running"],
  running: ["draining", "evicted", "failed"],
  draining: ["drained", "evicted", "failed"],
  drained: [],
  evicted: [],
  failed: [],
};

export function createWorkerState(onChange: (state: WorkerState) => void) {
  let current: WorkerState = { kind: "starting" };
  return {
    current: (): WorkerState => current,
    /** Does nothing where the present state does not lead to the next one: an evicted worker is never drained. */
    enter: (next: WorkerState): void => {
      if (!NEXT_STATES[current.kind].includes(next.kind)) return;
      current = next;
      onChange(next);
    },
  };
}

/** A supervisor may restart the worker after either of these. */
const EVICTED_EXIT_CODE = 75;
const FAILED_EXIT_CODE = 70;

/** [B74] The code that the process of a worker exits with. */
export function workerExitCode({ kind }: WorkerState): number {
  if (kind === "evicted") return EVICTED_EXIT_CODE;
  return kind === "failed" ? FAILED_EXIT_CODE : 0;
}
