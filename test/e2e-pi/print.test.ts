import { describe, expect, it } from "vitest";
import { castsIn } from "../harness/cli.ts";
import type { ServerReply } from "../harness/model-server.ts";
import { newPiPlace } from "../harness/pi-place.ts";
import { runPi } from "../harness/pi-print.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const REFUSED: ServerReply = { status: 401, message: "your key has expired" };

describe("without a screen", () => {
  const outcomes: readonly [
    rule: string,
    command: string,
    replies: readonly ServerReply[],
    code: number,
    said: RegExp,
  ][] = [
    [
      "[X3] completed: 0",
      "link Build -- make it",
      [{ text: "made, with two tests" }],
      0,
      /✓ completed {2}Build.*made, with two tests/s,
    ],
    ["[X3] failed: 1", "link Build -- make it", [REFUSED], 1, /failed.*your key has expired.*\/materia recast/s],
    [
      "[X3] not satisfied: 3",
      "link Auto-Eval -- judge it",
      [{ text: `{"satisfied":false,"context":"no test"}` }],
      3,
      /not satisfied/,
    ],
    [
      "[X3] waiting: 4",
      "link Interactive-Plan Build -- plan it",
      [{ text: "Which database?" }],
      4,
      /waiting.*Which database\?.*\/materia continue/s,
    ],
  ];
  it.each(sampleCases(outcomes))("%s", SWEEP, async (_rule, command, replies, code, said) => {
    const place = await newPiPlace({}, ...replies);
    const ran = await runPi(place, "-p", `/materia ${command}`);
    expect(ran.stdout).toMatch(said);
    expect(ran.code).toBe(code);
    expect(castsIn(place.cwd)).toHaveLength(1);
    expect(place.model.requests).toHaveLength(replies.length);
  });

  it("[X3] a refusal stands on standard error: 2", async () => {
    const place = await newPiPlace();
    const ran = await runPi(place, "-p", "/materia link Biuld -- make it");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain('"Build"');
    expect(castsIn(place.cwd)).toEqual([]);
  });

  it("[X3] looking prints, and a cast that waits is continued by a later process", async () => {
    const place = await newPiPlace(
      {},
      { text: `{"workItems":[{"title":"one thing","context":""}]}` },
      { text: "made" },
    );
    expect((await runPi(place, "-p", "/materia link Interactive-Plan Build -- plan it")).code).toBe(4);
    const listed = await runPi(place, "-p", "/materia casts --json");
    expect(listed.code).toBe(0);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ status: "waiting", request: "plan it" }]);
    const done = await runPi(place, "-p", "/materia continue");
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/completed.*made/s) });
  });

  it("[X3] in json mode the result is a message and every line a record", async () => {
    const place = await newPiPlace({}, { text: "made" });
    const ran = await runPi(place, "--mode", "json", "/materia link Build -- make it");
    expect(ran.code).toBe(0);
    const records = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string }); // written by the program under test
    expect(records).toContainEqual(
      expect.objectContaining({
        type: "message_end",
        message: expect.objectContaining({ customType: "materia-result" }),
      }),
    );
    const looked = await runPi(place, "--mode", "json", "/materia casts");
    expect(looked.stdout).toMatch(/"status":"completed"/);
  });
});
