import { expect, it } from "vitest";
import { newPlace, run } from "../harness/cli.ts";

it("[YD14] a loadout is explained in at most five sentences", async () => {
  const cwd = newPlace();
  const { code, stdout } = await run(["grid", "Test-Driven", "--explain"], { cwd });
  expect([code, stdout.trim().split("\n")]).toEqual([
    0,
    [
      "Auto-Plan makes the list of work items.",
      "The way is: Ignore-Artifacts; then Detect-VCS; then Auto-Plan; then for each item Build, Run-Checks, Auto-Eval and Maintain; then Narrate.",
      "A no leads from Run-Checks to Build, at most 4 times; from Auto-Eval to Build, at most 2 times.",
      "Build, Auto-Eval and Maintain may write files; Ignore-Artifacts, Detect-VCS and Run-Checks run programs.",
      "It ends after Narrate.",
    ],
  ]);
  const json = await run(["grid", "Full-Auto", "--explain", "--json"], { cwd });
  expect((JSON.parse(json.stdout) as { explanation: string[] }).explanation).toHaveLength(5);
});
