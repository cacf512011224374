import { toJsonSchema } from "@valibot/to-json-schema";
import { bundledLayer } from "../src/core/catalog/bundled-layer.ts";
import type { CatalogEntry } from "../src/core/catalog/layer.ts";
import { EVENT_SCHEMAS } from "../src/core/cast/state/event.ts";
import { COMMANDS, type CommandRow } from "../src/core/command/command-table.ts";
import { Budget, Limits } from "../src/core/model/config.ts";
import { ISSUE_CODES } from "../src/core/model/issue-codes.ts";
import { AdvanceRule, Edge, Exit, Loadout, Loop, Socket } from "../src/core/model/loadout.ts";
import { AgentMateria, UtilityMateria } from "../src/core/model/materia.ts";
import { Rehearsal, ScriptedReply } from "../src/core/model/rehearsal.ts";
import { TestExpectations, TestCast } from "../src/core/testing/test-file.ts";
import { optionHelp, type OptionName } from "../src/core/command/options.ts";

type Schema = Parameters<typeof toJsonSchema>[0];

/** The reference, from the command table and the schemas themselves, so that it cannot drift from either. */
export function referenceText(): string {
  return `${[
    "# Reference",
    "Made by `npm run reference` from the command table and the schemas that validate; a test fails when it is not up to date.",
    "## Commands",
    list(COMMANDS.map(commandText)),
    "## Options",
    list(optionHelp().map(([usage, does]) => `\`${usage}\`: ${does}`)),
    "## Configuration",
    "Layers, later wins: bundled, user (`$XDG_CONFIG_HOME/pi/pi-materia/materia.json`), project (`.pi/pi-materia.json`), `MATERIA_CONFIG`, `--config`.",
    ...section("A materia that is an agent", AgentMateria),
    ...section("A materia that is a utility", UtilityMateria),
    ...section("A loadout", Loadout),
    ...section("A socket", Socket),
    ...section("An edge", Edge),
    ...section("`advance` of a socket", AdvanceRule),
    ...section("A loop", Loop),
    ...section("An exit of a loop", Exit),
    ...section("`budget`", Budget),
    ...section("`limits`", Limits),
    "## A rehearsal file",
    ...section("The file", Rehearsal),
    ...section("A reply", ScriptedReply),
    "## A test of a loadout",
    "A rehearsal file with these besides; `materia test` runs it.",
    ...section("`cast`", TestCast),
    ...section("`expect`", TestExpectations),
    "## Events of the journal",
    list(Object.entries(EVENT_SCHEMAS).map(([type, schema]) => `\`${type}\`: ${fieldsOf(schema)}`)),
    "## Codes of problems",
    "`check --json` and every refusal name a problem by one of these.",
    list(Object.entries(ISSUE_CODES).map(([code, meaning]) => `\`${code}\`: ${meaning}`)),
    "## Bundled",
    ...bundled(),
  ].join("\n\n")}\n`;
}

function commandText({ usage, does, example, meanings }: CommandRow): string {
  const here = optionHelp(Object.keys(meanings) as OptionName[], meanings); // its keys
  const texts = here.map(([option, effect]) => `Here \`${option}\`: ${effect}.`);
  return [`\`materia ${usage}\`: ${does}.`, `Example: \`materia ${example}\``, ...texts].join(" ");
}

/** One item a line, as Markdown wants it. */
function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

interface Property {
  readonly description?: string;
  readonly default?: unknown;
}

function section(title: string, schema: Schema): readonly string[] {
  const { properties = {}, required = [] } = toJsonSchema(schema, { errorMode: "ignore", typeMode: "input" });
  const rows = Object.entries(properties).map(([key, property]) => {
    const { description, default: fallback } = property as Property; // a JSON Schema of ours, never `true`
    const notes = [
      required.includes(key) ? "required" : "",
      fallback === undefined ? "" : `without it ${JSON.stringify(fallback)}`,
    ].filter((note) => note !== "");
    return `\`${key}\`${notes.length === 0 ? "" : ` (${notes.join(", ")})`}${description === undefined ? "" : `: ${description}`}`;
  });
  return [`### ${title}`, list(rows)];
}

function fieldsOf(schema: { readonly entries: object }): string {
  const names = Object.keys(schema.entries).filter((key) => key !== "type");
  return names.map((key) => `\`${key}\``).join(", ");
}

function bundled(): readonly string[] {
  const { materia, loadouts } = bundledLayer();
  return ["### Materia", described(materia.values()), "### Loadouts", described(loadouts.values())];
}

function described(entries: Iterable<CatalogEntry<{ readonly description?: string | undefined }> | null>): string {
  return list([...entries].flatMap((entry) => (entry ? [`\`${entry.name}\`: ${entry.value?.description ?? ""}`] : [])));
}
