import { createHmac } from "node:crypto";
import { realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loginMessage } from "../../src/core/wire/commands.ts";
import { openUi } from "../../src/apps/server/open-ui.ts";
import { deriveUiEndpoint } from "../../src/shell/config/user-key.ts";
import { DOOR_KEY, PORT, TOKEN, json, project, refusal, site, type Project, type Site } from "./harness.ts";

const NOBODY = { authorization: "" };

function proofOf(text: string, key = DOOR_KEY): string {
  return createHmac("sha256", Buffer.from(key, "base64url")).update(text).digest("base64url");
}

async function challengeOf(at: Site): Promise<string> {
  const { challenge } = (await json(at.ask("/door", { headers: NOBODY }))) as { challenge: string };
  return challenge;
}

describe("[N34] a browser that was here before", () => {
  it("[N34, N39] gets the token for a proof of its key", async () => {
    const at = site();
    expect(await json(at.ask("/api/key"))).toEqual({ key: DOOR_KEY });
    const proof = proofOf(loginMessage(PORT, await challengeOf(at)));
    const answer = await at.send("/door", { proof }, { headers: NOBODY });
    expect([await json(answer), answer.headers.get("cache-control")]).toEqual([{ token: TOKEN }, "no-store"]);
  });

  it.each<[rule: string, proof: (challenge: string) => string]>([
    ["[N34] nothing", () => ""],
    ["[N34] another key", (challenge) => proofOf(loginMessage(PORT, challenge), "c29tZSBvdGhlciBrZXk")],
    ["[N34] another port, where somebody else listens", (challenge) => proofOf(loginMessage(PORT + 1, challenge))],
    ["[N34] the challenge of another start", () => proofOf(loginMessage(PORT, "of-yesterday"))],
    ["[N34] the key itself", () => DOOR_KEY],
    ["[N34] the token", () => TOKEN],
  ])("%s proves nothing", async (_rule, proof) => {
    const at = site();
    const body = { proof: proof(await challengeOf(at)) };
    expect(await refusal(at.send("/door", body, { headers: NOBODY }))).toBe("401 invalid_token");
  });

  it("[N34, N39] the key is given to who has the token, under the address alone, and each start asks something else", async () => {
    const at = site();
    expect(await refusal(at.ask("/api/key", { headers: NOBODY }))).toBe("401 invalid_token");
    const headers = { host: `localhost:${PORT}`, authorization: `Bearer ${TOKEN}` };
    expect(await refusal(at.app.request(`http://localhost:${PORT}/api/key`, { headers }))).toBe("404 not_found");
    expect(await challengeOf(site())).not.toBe(await challengeOf(site()));
    expect(await refusal(at.ask("/door", { headers: { ...NOBODY, "sec-fetch-site": "same-site" } }))).toBe(
      "403 wrong_site",
    );
  });
});

describe("[N33] the place of a project", () => {
  async function portOf(
    from: Project,
    port?: number,
  ): Promise<{ readonly port: number; readonly close: () => unknown }> {
    const opened = await openUi({
      place: from.place,
      openReal: () => Promise.reject(new Error("tests rehearse")),
      report: () => undefined,
      ...(port === undefined ? {} : { port }),
    });
    if (!opened.ok) throw new Error(opened.issues[0]?.message);
    return { port: Number(new URL(opened.value.url).port), close: opened.value.close };
  }

  it("[N33] is the same at each start, and another where that is taken", async () => {
    const from = project();
    const first = await portOf(from);
    const second = await portOf(from);
    expect(second.port).not.toBe(first.port);
    await first.close();
    await second.close();
    const again = await portOf(from);
    // A neighbour may have taken it since; if it is free it is taken again.
    const wanted = deriveUiEndpoint(from.place)?.port;
    expect([wanted, again.port]).toContain(first.port);
    await again.close();
  });

  it("[N33] is kept with the key of the user, for the folder by any path to it, and another for each project", () => {
    const from = project();
    const door = deriveUiEndpoint(from.place);
    const link = join(from.cwd, "..", "link");
    symlinkSync(from.cwd, link);
    expect(deriveUiEndpoint({ ...from.place, cwd: link })).toEqual(door);
    expect(deriveUiEndpoint({ ...from.place, cwd: join(from.cwd, "..") })?.key).not.toBe(door?.key);
    expect(deriveUiEndpoint(project().place)?.key).not.toBe(door?.key);
    const key = join(realpathSync(join(from.cwd, "..")), "config", "pi", "pi-materia", "cast-key");
    expect(statSync(key).mode & 0o777).toBe(0o600);
    rmSync(key);
    expect(deriveUiEndpoint(from.place)?.key).not.toBe(door?.key);
  });

  it("[N33] where no key can be kept any free port is used, and no browser is known", async () => {
    const from = project();
    const config = join(from.cwd, "..", "config");
    writeFileSync(config, "a file where the folder would be");
    expect(deriveUiEndpoint(from.place)).toBeUndefined();
    const opened = await portOf(from);
    expect(opened.port).toBeGreaterThan(0);
    await opened.close();
  });
});
