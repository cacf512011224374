import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import {
  castFile,
  castsIn,
  eventsOf,
  newPlace,
  put,
  readText,
  run,
  type Ran,
  type RunOptions,
} from "../harness/cli.ts";
import { copied } from "../harness/copied.ts";
import { commitAll } from "./scratch.ts";

/** A reply of an agent, with the files that it writes before. */
export function writes(files: Readonly<Record<string, string>>, text = "Done."): object {
  const tools = Object.entries(files).map(([path, content]) => ({ name: "write", arguments: { path, content } }));
  return { tools, text };
}

const CONFIG = {
  materia: {
    Make: { prompt: "Make it.", tools: "coding", parse: "text" },
    Look: { prompt: "Judge this:\n\n{{changes}}", tools: "readOnly", parse: "json" },
    Touch: { type: "utility", command: ["sh", "-c", "echo touched >> touched.txt"], parse: "text" },
    Ask: { prompt: "Plan it.", tools: "none", parse: "text" },
  },
  loadouts: {
    Small: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Make", edges: [{ to: "Socket-2", when: "always" }] },
        "Socket-2": {
          materia: "Look",
          edges: [
            { to: "Socket-1", when: "not_satisfied", maxTraversals: 3 },
            { to: "Socket-3", when: "satisfied" },
          ],
        },
        "Socket-3": { materia: "Touch" },
      },
    },
  },
  activeLoadout: "Small",
};

const REPLIES = {
  Make: [writes({ "src/a.txt": "one\n", "b.txt": "b\n" }), writes({ "src/a.txt": "one\ntwo\n" })],
  Look: [{ json: { satisfied: false, context: "a second line" } }, { json: { satisfied: true } }],
};

/** A project in a repository with one commit, a configuration that its user trusts, and a rehearsal of it. */
export function repositoryPlace(replies: object = REPLIES, config: object = {}): string {
  const cwd = newPlace();
  copied("place of casts", cwd, (folder) => {
    put(folder, { ".gitignore": ".pi/pi-materia/\nignored.txt\n", "first.txt": "first\n" });
    commitAll(folder);
  });
  put(cwd, { "../home/materia.json": { ...CONFIG, ...config }, "../home/replies.json": { replies } });
  return cwd;
}

/** `materia` with the configuration of the place. */
export function materia(cwd: string, args: readonly string[], more: Partial<RunOptions> = {}): Promise<Ran> {
  return run(["--config", join(cwd, "../home/materia.json"), ...args], { cwd, ...more });
}

export function castHere(cwd: string, more: Partial<RunOptions> = {}): Promise<Ran> {
  return materia(cwd, ["cast", "--rehearse", join(cwd, "../home/replies.json"), "do", "it"], more);
}

export function lastCast(cwd: string): string {
  return castsIn(cwd).at(-1) ?? "";
}

export function journalOf(cwd: string, castId = lastCast(cwd)): readonly CastEvent[] {
  return eventsOf(readText(castFile(cwd, castId, "journal.jsonl")));
}

/** The files of the visits in order, `undefined` where one changed none. */
export function visitFiles(events: readonly CastEvent[]) {
  return events.flatMap((event) => (event.type === "visit_completed" ? [event.files] : []));
}

export function commitsOf(events: readonly CastEvent[]): readonly string[] {
  return visitFiles(events).flatMap((files) => (files && "commit" in files ? [files.commit] : []));
}

export function setReplies(cwd: string, replies: object): void {
  writeFileSync(join(cwd, "../home/replies.json"), JSON.stringify({ replies }));
}
