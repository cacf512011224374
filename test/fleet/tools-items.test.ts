import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { git } from "../git/scratch.ts";
import { put } from "../harness/cli.ts";
import { fileOf, fleetPlace } from "../harness/fleet/fleet-place.ts";
import { ended } from "../harness/fleet/items-place.ts";

const sh = (script: string) => ({ type: "utility", command: ["sh", "-c", script], parse: "json" });
const CONFIG = {
  materia: {
    List: { ...sh(`echo '{"workItems":[{"title":"a","context":""},{"title":"b","context":""}]}'`), generator: true },
    Item: sh(
      `k=$(grep -o 'WI-[0-9]*' | head -1); { id -un; cat made-by.txt; pwd; } > $k.txt; echo '{"satisfied":true}'`,
    ),
    Last: sh(`id -un > last.txt; cat WI-1.txt >> last.txt; echo '{}'`),
  },
  worktree: { setup: ["sh", "-c", "id -un > made-by.txt"] },
  loadouts: {
    Two: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "List", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Item", advance: { when: "always" }, edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-3": { materia: "Last", edges: [] },
      },
      loops: {
        items: {
          sockets: ["Socket-2"],
          parallel: 2,
          consumes: { from: "Socket-1", output: "workItems" },
          exits: [{ id: "out", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" }],
        },
      },
    },
  },
};

it.runIf(process.getuid?.() === 0)(
  "[B12, B25] items are set up and run as the tools user, and their work is merged",
  async () => {
    const place = await fleetPlace();
    const folder = mkdtempSync("/tmp/materia-tools-");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o711);
    put(place.cwd, { "conf.json": CONFIG, ".gitignore": "made-by.txt\n" });
    git(place.cwd, "add", "-A");
    git(place.cwd, "commit", "-qm", "items");
    await place.worker({ folder: join(folder, "work"), toolsUser: "nobody", concurrency: 1 });
    const sent = await place.materia("cast", "--loadout", "Two", "--detach", "go");
    const castId = sent.stdout.trim();
    expect(await ended(place, castId)).toBe("completed");
    expect((await place.materia("take", castId)).code).toBe(0);
    const branch = `materia/${castId}`;
    for (const name of ["WI-1.txt", "WI-2.txt", "last.txt"])
      expect(fileOf(place.cwd, branch, name).split("\n").slice(0, 2)).toEqual(["nobody", "nobody"]);
    expect((await place.materia("show", castId)).stdout).toContain("2 items");
  },
);
