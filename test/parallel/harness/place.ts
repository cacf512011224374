import { commitAll } from "../../git/scratch.ts";
import { newPlace } from "../../harness/cli.ts";
import { writeFiles } from "./repository.ts";
import { parallelWorkshop } from "./scenarios.ts";

const YES = { json: { satisfied: true, context: "" } };

/** A reply of an agent that writes one file. */
function writing(name: string, content: string): object {
  return { tools: [{ name: "write", arguments: { path: name, content } }], text: content };
}

/** A repository with a loadout of the parallel workshop, and replies in which the second item conflicts once. */
export function workshopPlace(
  replies: Readonly<Record<string, unknown>> = {},
  more: Parameters<typeof parallelWorkshop>[1] = {},
): string {
  const cwd = newPlace();
  const workItems = ["a", "b", "c"].map((title) => ({ title, context: "" }));
  const materia = { Build: { tools: "coding", prompt: "Build." } };
  writeFiles(cwd, {
    ".gitignore": ".pi/pi-materia/\n",
    ".pi/pi-materia.json": JSON.stringify({ activeLoadout: "Main", ...parallelWorkshop(3, { materia, ...more }) }),
    "replies.json": JSON.stringify({
      replies: {
        Plan: [{ json: { workItems } }],
        "Build@WI-1": [writing("same.txt", "one\n")],
        "Build@WI-2": [writing("same.txt", "two\n")],
        "Build@WI-2.2": [writing("same.txt", "one, two\n")],
        "Build@WI-3": [writing("three.txt", "three\n")],
        Eval: Array.from({ length: 8 }, () => YES),
        Tell: [{ text: "told" }],
        ...replies,
      },
    }),
  });
  commitAll(cwd);
  return cwd;
}
