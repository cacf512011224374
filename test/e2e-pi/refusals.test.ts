import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { castsIn, put } from "../harness/cli.ts";
import { newPiPlace, type PiPlace } from "../harness/pi-place.ts";
import { startPi, type PiRpc, type RpcOptions } from "../harness/pi-rpc.ts";
import { all, notice, result } from "../harness/pi-seen.ts";

describe("what is refused over RPC", () => {
  it("[X1, X2] unknown commands and bad arguments are refused with a way out, and looking answers with a notice", async () => {
    const { place, pi } = await open();
    const answer = async (typed: string, pattern: RegExp): Promise<string> => {
      pi.mark();
      await pi.type(typed);
      return pi.until(`the answer to ${typed}`, notice(pattern));
    };
    expect(await answer("/materia lnik Build -- x", /lnik/)).toContain('did you mean "/materia link"?');
    await answer("/materia link Build", /--/);
    await answer("/materia link Biuld -- x", /"Build"/);
    await answer("/materia cast", /prompt/);
    await answer("/materia cast --loadot Full-Auto x", /--loadout/);
    await answer("/materia show nothing-like-it", /nothing-like-it/);
    await answer("/materia show ../../etc", /etc/);
    await answer("/materia recast", /no cast|nothing/i);
    expect(await answer("/materia", /\/materia cast/)).toContain("/materia link");
    expect(await answer("/materia loadout", /Full-Auto/)).toContain("Planning-Consult");
    await answer("/materia grid Full-Auto", /Auto-Eval/);
    expect(place.model.requests).toEqual([]);
    expect(existsSync(join(place.cwd, ".pi"))).toBe(false);
    expect(pi.records.filter((record) => record.type === "extension_error")).toEqual([]);
  });

  it("[A4, X2] without a model, or without its key, no cast begins and the ways out are named", async () => {
    const { place, pi } = await open();
    await pi.type("/materia link --model stand-in/unheard-of Build -- x");
    expect(await pi.until("the refusal", notice(/unheard-of/))).toContain("--model");
    await pi.type("/materia link --model keyless/locked Build -- x");
    expect(await pi.until("the refusal", notice(/keyless/))).toContain("/login");
    expect(castsIn(place.cwd)).toEqual([]);

    put(place.agentDir, { "models.json": { providers: {} }, "settings.json": {} });
    const poor = startPi(place);
    await poor.type("/materia link Build -- x");
    expect(await poor.until("the refusal", notice(/no model/))).toMatch(/\/login.*--rehearse/s);
    expect(castsIn(place.cwd)).toEqual([]);
  });

  it("[X15] a tool that Pi was started without is not given to an agent either", async () => {
    const { place, pi } = await open({ args: ["--tools", "read,ls"] });
    await pi.type("/materia link Build -- x");
    const refusal = await pi.until("the refusal", notice(/bash/));
    expect(refusal).toContain("--tools");
    expect(refusal).toContain("Build");
    expect(castsIn(place.cwd)).toEqual([]);
  });
});

const PROJECT = {
  ".pi/pi-materia.json": {
    materia: { Local: { prompt: "You are local.", tools: "none" } },
  },
  // Without something that Pi itself would load there is nothing to trust.
  ".pi/settings.json": {},
};

describe("trust over RPC", () => {
  it("[X24] what a project brings is not read where Pi does not trust it", async () => {
    const { place, pi } = await open({ args: ["--no-approve"] }, PROJECT);
    await pi.type("/materia link Local -- x");
    const refusal = await pi.until("the refusal", notice(/trust/));
    expect(refusal).toMatch(/--approve/);
    expect(castsIn(place.cwd)).toEqual([]);
    pi.mark();
    await pi.type("/materia materia");
    expect(await pi.until("the list", notice(/Build/))).not.toContain("Local");
    await pi.until("a word about it", notice(/trust/));
  });

  it("[X24] where Pi trusts the project, it is", async () => {
    const { place, pi } = await open({ args: ["--approve"] }, PROJECT);
    place.model.say({ text: "local work" });
    await pi.type("/materia link Local -- x");
    expect(await pi.until("the result", result)).toContain("Result: local work");
  });

  it("[X25] a configuration that Pi never asked about is asked about once", async () => {
    const config = { ".pi/pi-materia.json": PROJECT[".pi/pi-materia.json"] };
    const asked: string[] = [];
    const answers = [false, true];
    const onDialog: RpcOptions["onDialog"] = ({ title = "" }) => {
      asked.push(title);
      return { confirmed: answers.shift() ?? false };
    };
    const { place, pi } = await open({ onDialog }, config);
    await pi.type("/materia link Local -- x");
    await pi.until("the refusal", notice(/trust/i));
    expect(castsIn(place.cwd)).toEqual([]);
    place.model.say({ text: "local work" }, { text: "more of it" });
    await pi.type("/materia link Local -- x");
    await pi.until("the result", result);
    await pi.type("/materia link Local -- x");
    await pi.until("the second result", () => all(pi, result)[1]);
    expect(asked).toHaveLength(2);
  });
});

async function open(
  options: RpcOptions = {},
  files: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly place: PiPlace; readonly pi: PiRpc }> {
  const place = await newPiPlace(files);
  return { place, pi: startPi(place, options) };
}
