import { expect, it } from "vitest";
import { parseText } from "../../src/core/command/parse.ts";
import { error, suggest, typed, type HintParts } from "../../src/core/model/issue.ts";
import { issueLines, withProgramName, withFleetOption } from "../../src/core/view/issues.ts";
import { plainText } from "../../src/core/view/line.ts";

it.each<[HintParts, fleet: string, named: string]>([
  [suggest`start one with ${typed`cast <prompt>`}`, "team", 'start one with "materia --on team cast <prompt>"'],
  [suggest`${typed`casts`} lists them`, "the team", '"materia --on "the team" casts" lists them'],
  [suggest`${typed`recast c --accept`} takes it`, "team", '"materia --on team recast c --accept" takes it'],
  [suggest`${typed`fleet migrate`} makes them`, "team", '"materia fleet migrate --on team" makes them'],
  [suggest`${typed`watch c --on team`} follows it`, "team", '"materia watch c --on team" follows it'],
  [suggest`${typed`fleet up`} starts it`, "local", '"materia fleet up" starts it'],
  [suggest`look at it with ${typed`doctor c`}`, "team", 'look at it with "materia doctor c"'],
  [suggest`say "materia casts" or ${typed`casts`}`, "team", 'say "materia casts" or "materia --on team casts"'],
])("[B69] a suggested command names the fleet: %j", (hint, fleet, named) => {
  const [issue] = withFleetOption([error("missing_cast", "", "none", hint)], fleet);
  expect(issue?.hint).toBe(named);
});

it("[B69] suggested commands can be parsed, and in Pi commands for a terminal stay unchanged", () => {
  expect(parseText("--on team recast c-1 --accept")).toMatchObject({ ok: true, value: { options: { on: "team" } } });
  const said = (hint: HintParts): string =>
    plainText(
      withProgramName(issueLines(withFleetOption([error("missing_cast", "", "none", hint)], "team")), "/materia"),
    );
  expect(said(suggest`${typed`casts`} lists them`)).toContain('"/materia --on team casts" lists them');
  expect(said(suggest`${typed`fleet migrate`} makes them`)).toContain('"materia fleet migrate --on team" makes them');
});
