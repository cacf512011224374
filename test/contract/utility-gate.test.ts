import { describe, expect, it } from "vitest";
import { runUtility } from "../../src/shell/run/run-utility.ts";
import { runs, utility } from "../harness/utility.ts";

function gate(source: string, part: Parameters<typeof utility>[1] = {}) {
  return utility(source, { gate: true, ...part });
}

describe("a gate as a process", () => {
  it.each([
    ["[Q1] yes", `console.log("fine")`, 0, "fine\n"],
    ["[Q1] no", `console.error("bad"); process.exitCode = 9;`, 9, "bad\n"],
    ["[Q1] no without a word", `process.exitCode = 1;`, 1, ""],
  ])("%s", async (_rule, source, code, stdout) => {
    expect(await runUtility(gate(source).request)).toEqual({ kind: "judged", code, stdout, stderr: "" });
  });

  it("[Q2] both streams in the order in which they were written", async () => {
    const command = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo out $i; echo err $i >&2; done; exit 4"];
    const outcome = await runUtility(gate("", { command }).request);
    const lines = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((each) => [`out ${each}`, `err ${each}`]);
    expect(outcome).toEqual({ kind: "judged", code: 4, stdout: `${lines.join("\n")}\n`, stderr: "" });
  });

  it("[Q2] the end of an output beyond every measure", async () => {
    const { request } = gate(`process.stdout.write("x".repeat(3 << 20) + "the end", () => process.exit(1));`);
    const { stdout } = await runUtility(request);
    expect(stdout.length).toBe(1 << 20);
    expect(stdout.endsWith("xthe end")).toBe(true);
  });

  it("[Q1] killed has not answered", async () => {
    const { request } = gate(`console.log("half"); process.kill(process.pid, "SIGKILL"); forever();`);
    const reason = expect.stringContaining("was ended by SIGKILL: half");
    expect(await runUtility(request)).toMatchObject({ kind: "failed", reason });
  });

  it("[Q1] not found has not answered", async () => {
    const outcome = await runUtility(gate("", { command: ["no-such-program"] }).request);
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("there is no program") });
  });

  it("[Q1] is not started after an abort", async () => {
    const prepared = gate(`write("ran")`);
    prepared.abort();
    expect(await runUtility(prepared.request)).toMatchObject({ kind: "failed" });
    expect(prepared.exists("ran")).toBe(false);
  });

  it("[Q1] ends what it left running, and does not wait for it", async () => {
    const prepared = gate(`const child = grandchild("forever()"); write("pid", String(child.pid)); process.exit(0);`);
    expect(await runUtility(prepared.request)).toMatchObject({ kind: "judged", code: 0 });
    expect(runs(Number(await prepared.written("pid")))).toBe(false);
  });
});
