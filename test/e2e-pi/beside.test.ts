import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { castsIn, put } from "../harness/cli.ts";
import { EXTENSION, newPiPlace, PI, userConfig } from "../harness/pi-place.ts";
import { startPi, type UiRequest } from "../harness/pi-rpc.ts";
import { editorText, lastAsked, notice, result, widget } from "../harness/pi-seen.ts";

/** Asks before every command, and turns away what is not allowed. */
const GATE = `export default (pi) => {
  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    if (toolName !== "bash") return undefined;
    const allowed = await ctx.ui.confirm("Run this?", input.command);
    return allowed ? undefined : { block: true, reason: "the gate said no" };
  });
};`;

/** A provider that exists in this process only. */
const PROVIDER = `export default (pi) => {
  const model = { id: "one", name: "one", reasoning: false, input: ["text"], contextWindow: 64000, maxTokens: 4096 };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const baseUrl = process.env.STAND_IN_URL;
  pi.registerProvider("brought", { baseUrl, api: "openai-completions", apiKey: "none", models: [{ ...model, cost }] });
};`;

const MATERIA = {
  materia: {
    Run: { prompt: "You run things.", tools: { type: "custom", tools: ["bash"] }, model: "brought/one" },
  },
};

function bash(command: string): { readonly call: { readonly name: string; readonly arguments: object } } {
  return { call: { name: "bash", arguments: { command } } };
}

describe("beside other extensions", () => {
  it("[X14, X16] an agent uses a provider of another extension, and a gate of the user stands before its tools", async () => {
    const place = await newPiPlace(userConfig(MATERIA), bash("echo no > refused.txt"), bash("echo yes > allowed.txt"), {
      text: "one of two",
    });
    put(place.agentDir, { "extensions/gate.ts": GATE, "extensions/provider.ts": PROVIDER });
    const asked: string[] = [];
    const onDialog = ({ message = "" }: UiRequest) => {
      asked.push(message);
      return { confirmed: message.includes("yes") };
    };
    const pi = startPi(place, { onDialog, env: { STAND_IN_URL: place.model.url } });
    await pi.type("/materia link Run -- run them both");
    expect(await pi.until("the result", result)).toContain("Result: one of two");
    expect(asked).toEqual(["echo no > refused.txt", "echo yes > allowed.txt"]);
    expect(lastAsked(place.model)).toMatchObject({ model: "one", tools: ["bash"] });
    expect(lastAsked(place.model).said.join()).toContain("the gate said no");
    expect(existsSync(join(place.cwd, "refused.txt"))).toBe(false);
    expect(existsSync(join(place.cwd, "allowed.txt"))).toBe(true);
  });

  it("[X7] an agent of a cast starts no further cast", async () => {
    const inner = `"${process.execPath}" "${PI}" -e "${EXTENSION}" -p "/materia link Build -- more"; echo "code $?"`;
    const place = await newPiPlace({}, bash(inner), { text: "there is one already" });
    const pi = startPi(place);
    await pi.type("/materia link Build -- start another");
    await pi.until("the result", result);
    const said = lastAsked(place.model).said.join("\n");
    expect(said).toContain("cast_running");
    expect(said).toContain("code 2");
    expect(castsIn(place.cwd)).toHaveLength(1);
  });

  it("[X19] what was kept goes back into the editor when the session is left", async () => {
    const place = await newPiPlace({}, { hang: "after text" });
    const pi = startPi(place);
    await pi.type("/materia link Build -- never to end");
    await pi.until("the first words", widget(/» thinking aloud/));
    await pi.type("a later question");
    await pi.ask({ type: "new_session" });
    expect(await pi.until("the editor", editorText)).toBe("a later question");
    expect(place.model.requests).toHaveLength(1);
  });
});

describe("the demo and the web UI", () => {
  it("[X29] /materia demo needs no model, and /materia ui serves until the session ends", async () => {
    const place = await newPiPlace();
    put(place.agentDir, { "models.json": { providers: {} }, "settings.json": {} });
    const pi = startPi(place);
    await pi.type("/materia ui");
    const told = await pi.until("the address", notice(/http:\/\//));
    const [address = ""] = /http:\S+/.exec(told) ?? [];
    expect((await fetch(address)).status).toBe(200);

    await pi.type("/materia demo");
    await pi.until("what it is", notice(/scripted/));
    expect(await pi.until("the result", result)).toMatch(/^A materia cast completed: Full-Auto/);
    expect(place.model.requests).toEqual([]);
    expect(castsIn(place.cwd)).toEqual([]);
    expect(await pi.close()).toBe(0);
    await vi.waitFor(() => expect(fetch(address)).rejects.toThrow("fetch failed"), { timeout: 120_000 });
  });
});
