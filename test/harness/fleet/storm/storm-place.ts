import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Database } from "../../../../src/shell/store/postgres/database/database.ts";

/** A project with programs and agents that write, commit and take their time. */
export interface StormPlace {
  readonly top: string;
  readonly cwd: string;
}

const MATERIA_PROGRAM = fileURLToPath(new URL("../../../../bin/materia.mjs", import.meta.url));

const step = (name: string, seconds: number) => ({
  type: "utility",
  command: [
    "sh",
    "-c",
    `cat > all.json; rm all.json; echo ${name} >> work.log; sleep ${seconds}; echo '{"satisfied":true}'`,
  ],
  parse: "json",
});
const tool = (command: string) => ({ name: "bash", arguments: { command } });
const COMMIT = "git add -A && git -c user.name=A -c user.email=a@example.org commit -qm";

/** Each line once, however often its turn was begun: who goes on from files that do not fit the conversation writes one twice, or none. */
const replyOf = (name: string) => ({
  tools: [
    tool(`echo ${name}-1 >> agent.log; sleep 0.1`),
    tool(`echo ${name}-2 >> agent.log; ${COMMIT} ${name}-2`),
    tool(`sleep 0.1; echo ${name}-3 >> agent.log; echo ${name} > ${name}.txt`),
    tool(`sleep 0.1; echo ${name}-4 >> agent.log; ${COMMIT} ${name}-4`),
  ],
  text: "Done.",
});

const CONFIG = {
  activeLoadout: "Storm",
  materia: {
    First: step("first", 0),
    Middle: step("middle", 0.05),
    Last: step("last", 0),
    Write: { prompt: "Write.", tools: "coding", parse: "text" },
    Mend: { prompt: "Mend.", tools: "coding", parse: "text" },
  },
  loadouts: {
    Storm: {
      entry: "Socket-1",
      sockets: Object.fromEntries(
        ["First", "Write", "Middle", "Mend", "Last"].map((materia, index, all) => [
          `Socket-${index + 1}`,
          { materia, edges: index + 1 < all.length ? [{ when: "always", to: `Socket-${index + 2}` }] : [] },
        ]),
      ),
    },
  },
};

export const SOCKETS: readonly string[] = Object.keys(CONFIG.loadouts.Storm.sockets);

export function stormPlace(): StormPlace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "materia-storm-")));
  const cwd = join(top, "project");
  const user = join(top, "home", ".config", "pi", "pi-materia");
  for (const folder of [cwd, user]) mkdirSync(folder, { recursive: true });
  const put = (file: string, value: object): void => writeFileSync(file, JSON.stringify(value));
  put(join(cwd, "conf.json"), CONFIG);
  put(join(cwd, "replies.json"), { replies: { Write: [replyOf("write")], Mend: [replyOf("mend")] } });
  put(join(user, "materia.json"), { fleet: { profiles: { f: { url: "$FLEET_URL", project: "p" } } } });
  gitIn(cwd, "init", "-q", "-b", "main");
  gitIn(cwd, "add", "-A");
  gitIn(cwd, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first");
  return { top, cwd };
}

export function gitIn(cwd: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env["PATH"],
    HOME: dirname(cwd),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env }).trim();
}

/** The id of a cast that was submitted with the real command. */
export async function submitOne({ top, cwd }: StormPlace, url: string): Promise<string> {
  const words = ["--on", "f", "--config", "conf.json", "cast", "--rehearse", "replies.json", "--detach", "go"];
  const env = {
    PATH: process.env["PATH"],
    HOME: join(top, "home"),
    XDG_CONFIG_HOME: join(top, "home", ".config"),
    LANG: "C.UTF-8",
    FLEET_URL: url,
  };
  const ran = await promisify(execFile)(process.execPath, [MATERIA_PROGRAM, ...words], { cwd, env });
  return ran.stdout.trim();
}

/** More of the same cast, as if it had been submitted so often. */
export async function submitMore(database: Database, castId: string, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${castId}-${index + 1}`);
  await database.transaction(async (client) => {
    await client.query(
      `insert into materia.casts (cast_id, project, queue, priority, file, brings, source, status, leg, summary)
        select id, project, queue, priority, replace(file, cast_id, id), brings, source, 'queued', 1, summary || jsonb_build_object('castId', id)
        from materia.casts, unnest($2::text[]) id where cast_id = $1`,
      [castId, ids],
    );
    await client.query(
      "insert into materia.packs select id, n, head, ckpt, 0, pack from materia.packs, unnest($2::text[]) id where cast_id = $1 and n = 0",
      [castId, ids],
    );
    await client.query("select pg_notify('materia_due', '')");
  });
  return ids;
}
