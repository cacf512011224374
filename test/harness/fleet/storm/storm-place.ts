import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Database } from "../../../../src/shell/store/postgres/database.ts";

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

/** Each line once, even if its turn was started several times: files that do not fit the conversation would give one twice, or none. */
const replyOf = (name: string, log = "agent.log") => ({
  tools: [
    tool(`echo ${name}-1 >> ${log}; sleep 0.1`),
    tool(`echo ${name}-2 >> ${log}; ${COMMIT} ${name}-2`),
    tool(`sleep 0.1; echo ${name}-3 >> ${log}; echo ${name} > ${name}.txt`),
    tool(`sleep 0.1; echo ${name}-4 >> ${log}; ${COMMIT} ${name}-4`),
  ],
  text: "Done.",
});

const ITEMS = ["one", "two", "three"];
const LIST = JSON.stringify({ workItems: ITEMS.map((title) => ({ title, context: "" })) });
/** The key of the item stands in what a program is given. */
const OWN_FILE = `key=$(sed -n 's/.*"itemKey": *"\\([^"]*\\)".*/\\1/p'); echo "$key" > "$key.txt"; sleep 0.05; echo '{"satisfied":true}'`;
const to = (socket: string) => [{ when: "always", to: socket }];

const CONFIG = {
  activeLoadout: "Storm",
  materia: {
    First: step("first", 0),
    Middle: step("middle", 0.05),
    Last: step("last", 0),
    Write: { prompt: "Write.", tools: "coding", parse: "text" },
    Mend: { prompt: "Mend.", tools: "coding", parse: "text" },
    Plan: {
      type: "utility",
      generator: true,
      parse: "json",
      command: ["sh", "-c", `cat > /dev/null; echo '${LIST}'`],
    },
    Own: { type: "utility", parse: "json", command: ["sh", "-c", OWN_FILE] },
    Item: { prompt: "Do it.", tools: "coding", parse: "text" },
  },
  loadouts: {
    Storm: {
      entry: "Socket-1",
      sockets: Object.fromEntries(
        ["First", "Write", "Middle", "Mend", "Last"].map((materia, index, all) => [
          `Socket-${index + 1}`,
          { materia, edges: index + 1 < all.length ? to(`Socket-${index + 2}`) : [] },
        ]),
      ),
    },
    Items: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", edges: to("Socket-2") },
        "Socket-2": { materia: "Own", edges: to("Socket-3") },
        "Socket-3": { materia: "Item", advance: { when: "always" }, edges: to("Socket-2") },
        "Socket-4": { materia: "Last", edges: [] },
      },
      loops: {
        items: {
          sockets: ["Socket-2", "Socket-3"],
          parallel: 2,
          consumes: { from: "Socket-1", output: "workItems" },
          exits: [{ id: "out", from: "Socket-3", condition: "always", targetSocketId: "Socket-4" }],
        },
      },
    },
  },
};

/** One that walks a line, and one whose items are worked on at once. */
export const LOADOUTS: readonly string[] = Object.keys(CONFIG.loadouts);

export function stormPlace(): StormPlace {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "materia-storm-")));
  const cwd = join(top, "project");
  const user = join(top, "home", ".config", "pi", "pi-materia");
  for (const folder of [cwd, user]) mkdirSync(folder, { recursive: true });
  const put = (file: string, value: object): void => writeFileSync(file, JSON.stringify(value));
  put(join(cwd, "conf.json"), CONFIG);
  const items = ITEMS.map((name, index) => [`Item@WI-${index + 1}`, [replyOf(name, `${name}.log`)]]);
  const replies = { Write: [replyOf("write")], Mend: [replyOf("mend")], ...Object.fromEntries(items) };
  put(join(cwd, "replies.json"), { replies });
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
export async function submitOne({ top, cwd }: StormPlace, url: string, loadout: string): Promise<string> {
  const how = ["--loadout", loadout, "--rehearse", "replies.json", "--detach"];
  const words = ["--on", "f", "--config", "conf.json", "cast", ...how, "go"];
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
