import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import { eventsOn, fleetPlace, statusOn, submitted, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

/** A row that nobody submitted with the program: a copy of a good one, with other columns. */
async function plant({ database }: FleetPlace, from: string, id: string, columns: Readonly<Record<string, unknown>>) {
  const given = Object.entries({ file: `replace(file, cast_id, '${id}')`, brings: "brings", source: "source" });
  const values: unknown[] = [from, id];
  const chosen = given.map(([name, same]) => {
    if (!(name in columns)) return same;
    return `$${values.push(columns[name])}`;
  });
  await database.query({
    text: `insert into materia.casts (cast_id, project, submitted_by, file, brings, source, status, leg, summary)
      select $2, project, submitted_by, ${chosen.join(", ")}, 'queued', 1, summary from materia.casts where cast_id = $1`,
    values,
  });
  const pack =
    "insert into materia.packs select $2, n, $3, $4, seq, pack from materia.packs where cast_id = $1 and n = 0";
  const [row] = await database.query<{ head: string; ckpt: string }>({
    text: "select head, ckpt from materia.packs where cast_id = $1 and n = 0",
    values: [from],
  });
  await database.query({ text: pack, values: [from, id, columns["head"] ?? row?.head, columns["ckpt"] ?? row?.ckpt] });
}

async function reasonOf(place: FleetPlace, castId: string): Promise<string> {
  await until(async () => ["failed", "completed"].includes(await statusOn(place, castId)));
  const last = (await eventsOn(place, castId)).at(-1);
  return last?.type === "cast_ended" && "reason" in last ? last.reason : "completed";
}

it("[B77, B78] what a row names reaches no program as an option, and no file outside the cast's own", async () => {
  const place = await fleetPlace();
  const top = dirname(place.cwd);
  const origin = join(top, "origin.git");
  git(place.cwd, "init", "-q", "--bare", origin);
  git(place.cwd, "remote", "add", "origin", origin);
  git(place.cwd, "push", "-q", "origin", "main");
  const good = await submitted(place, "Quick");
  const marks = ["fetched", "pushed", "read", "written"].map((name) => join(top, `mark-${name}`));
  const [fetched = "", pushed = "", read = ""] = marks;
  writeFileSync(join(origin, "hooks", "post-receive"), `#!/bin/sh\ntouch ${pushed}\n`, { mode: 0o755 });
  const source = (change: object) => ({ source: JSON.stringify({ remote: null, branch: null, below: "", ...change }) });
  const hostile: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    "h-remote": source({ remote: `--upload-pack=touch ${fetched};` }),
    "h-ext": source({ remote: `ext::touch ${fetched}` }),
    "h-branch": source({ branch: `--x` }),
    "h-below": source({ below: "../../.." }),
    "h-ckpt": { ...source({}), ckpt: `--index-output=${read}` },
    "h-head": { ...source({}), head: `--stdin` },
    "h-brings": { brings: JSON.stringify({ "../../../../mark-written": "x", "rehearsal.json": 1 }) },
    "h-shape": { source: "[1, 2]" },
  };
  for (const [id, columns] of Object.entries(hostile)) await plant(place, good, id, columns);
  await place.worker({ profile: { deliver: "push", remotes: [join(top, "elsewhere")] }, concurrency: 4 });
  const reasons: Record<string, string> = {};
  for (const id of [...Object.keys(hostile), good]) reasons[id] = await reasonOf(place, id);
  expect(reasons).toEqual({
    "h-remote": 'cannot fetch its files: its "remote" is invalid',
    "h-ext": 'cannot fetch its files: its "remote" is invalid',
    "h-branch": 'cannot fetch its files: its "branch" is invalid',
    "h-below": 'cannot fetch its files: its "below" is invalid',
    "h-ckpt": expect.stringContaining("a pack names no commit"),
    "h-head": expect.stringContaining("a pack names no commit"),
    // Its repository is a folder of this machine, which its profile does not allow.
    "h-brings": expect.stringContaining(`this worker may not fetch from ${origin}`),
    "h-shape": 'cannot fetch its files: its "remote" is invalid',
    [good]: expect.stringContaining(`this worker may not fetch from ${origin}`),
  });
  expect(marks.filter((mark) => existsSync(mark))).toEqual([]);
});

it("[B78] the file of a row must name its own cast, and a folder that is a link does not lead out of the tree", async () => {
  const place = await fleetPlace();
  const victim = await submitted(place, "Slow");
  const file =
    (await place.database.query<{ file: string }>({ text: "select file from materia.casts" }))[0]?.file ?? "";
  await plant(place, victim, "h-file", { file });
  await plant(place, victim, "h-item", {
    file: JSON.stringify({ ...(JSON.parse(file) as object), castId: "h-item", window: { parent: victim } }),
  });
  symlinkSync(place.gate, join(place.cwd, "out"));
  const linked = await submitted(place, "Quick");
  await place.database.query({
    text: `update materia.casts set source = source || '{"below": "out"}' where cast_id = $1`,
    values: [linked],
  });
  const worker = await place.worker({ concurrency: 4 });
  expect(await reasonOf(place, linked)).toContain("out is outside its tree");
  for (const castId of ["h-file", "h-item"]) {
    // Offered again while the other one is waited for.
    const said = await until(() => worker.said.find((report) => report.castId === castId));
    expect(said).toMatchObject({ why: expect.stringContaining("the cast file is invalid") });
  }
  expect(readFileSync(join(place.cwd, "first.txt"), "utf8")).toBe("one\n");
});
