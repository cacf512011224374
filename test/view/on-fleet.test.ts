import { expect, it } from "vitest";
import { parseText } from "../../src/core/command/parse.ts";
import { error } from "../../src/core/model/issue.ts";
import { issueLines, withProgramName, withFleetOption } from "../../src/core/view/issues.ts";
import { plainText } from "../../src/core/view/line.ts";

it.each([
  ['start one with "materia cast <prompt>"', "team", 'start one with "materia --on team cast <prompt>"'],
  ['"materia casts" lists them', "the team", '"materia --on "the team" casts" lists them'],
  ['"materia recast c --accept" takes it', "team", '"materia --on team recast c --accept" takes it'],
  ['"materia fleet migrate" makes them', "team", '"materia fleet migrate --on team" makes them'],
  ['"materia watch c --on team" follows it', "team", '"materia watch c --on team" follows it'],
  ['"materia fleet up" starts it', "local", '"materia fleet up" starts it'],
  ['look at it with "materia doctor c"', "team", 'look at it with "materia doctor c"'],
])("[B69] a way out is typed on the fleet that was named: %s", (hint, fleet, named) => {
  const [issue] = withFleetOption([error("missing_cast", "", "none", hint)], fleet);
  expect(issue?.hint).toBe(named);
});

it("[B69] what is suggested so is understood, and in Pi what is for a terminal stays what it is there", () => {
  expect(parseText("--on team recast c-1 --accept")).toMatchObject({ ok: true, value: { options: { on: "team" } } });
  const said = (hint: string): string =>
    plainText(
      withProgramName(issueLines(withFleetOption([error("missing_cast", "", "none", hint)], "team")), "/materia"),
    );
  expect(said('"materia casts" lists them')).toContain('"/materia --on team casts" lists them');
  expect(said('"materia fleet migrate" makes them')).toContain('"materia fleet migrate --on team" makes them');
});
