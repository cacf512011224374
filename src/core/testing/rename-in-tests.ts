import { applyEdits, findNodeAtLocation, type Node } from "jsonc-parser";
import { parseTarget, targetText } from "../command/command.ts";
import { parseJsonc } from "../edit/json-text.ts";
import type { NameChange } from "../wire/testing.ts";
import { formatWayName, parseWayName } from "../history/way-names.ts";

/** The text of a test with the new name, and the places of the old name. */
export interface RenamedTest {
  readonly text: string;
  readonly places: readonly string[];
}

interface NodeReplacement {
  readonly node: Node;
  readonly by: string;
  readonly place: string;
}

/** [E31] Renames the loadout that a test casts. The rest of the text stays, with its comments. */
export function renameInTestCast(text: string, { kind, was, now }: NameChange): RenamedTest {
  return replaceNodes(text, (tree) => {
    const links = childrenAt(tree, ["cast", "link"]).flatMap((node, index) => {
      const target = parseTarget(String(node.value));
      const isMeant = target.name === was && (target.kind === kind || target.kind === "either");
      return isMeant ? [{ node, by: targetText({ ...target, name: now }), place: `cast.link.${index}` }] : [];
    });
    const loadout = kind === "loadout" ? findNodeAtLocation(tree, ["cast", "loadout"]) : undefined;
    return loadout?.value === was ? [{ node: loadout, by: now, place: "cast.loadout" }, ...links] : links;
  });
}

/** [E31] Renames a materia in the replies and expectations of a test. */
export function renameInTestVisits(text: string, { was, now }: NameChange): RenamedTest {
  const word = (each: string): string => (each === was ? now : each);
  return replaceNodes(text, (tree) => [
    ...keysAt(tree, ["replies"], (key) => key.replace(/^(.*?)(@WI-\d+(?:\.\d+)?)?$/su, renameKeepingSuffix(word))),
    ...childrenAt(tree, ["expect", "path"]).flatMap((node, index) =>
      node.value === was ? [{ node, by: now, place: `expect.path.${index}` }] : [],
    ),
    ...keysAt(tree, ["expect", "edges"], (key) => {
      const way = parseWayName(key);
      return way ? formatWayName({ ...way, from: word(way.from), to: word(way.to) }) : key;
    }),
    ...keysAt(tree, ["expect", "prompts"], (key) => key.replace(/^(.*?)(#\d+)?$/su, renameKeepingSuffix(word))),
  ]);
}

function renameKeepingSuffix(word: (name: string) => string) {
  return (_whole: string, name: string, rest: string | undefined): string => `${word(name)}${rest ?? ""}`;
}

function replaceNodes(text: string, find: (tree: Node) => readonly NodeReplacement[]): RenamedTest {
  const read = parseJsonc(text);
  const changes = read.ok ? find(read.value.tree) : [];
  const edits = changes.map(({ node: { offset, length }, by }) => ({ offset, length, content: JSON.stringify(by) }));
  return { text: applyEdits(text, edits), places: changes.map(({ place }) => place) };
}

function childrenAt(tree: Node, path: readonly string[]): readonly Node[] {
  return findNodeAtLocation(tree, [...path])?.children ?? [];
}

function keysAt(tree: Node, path: readonly string[], rename: (key: string) => string): readonly NodeReplacement[] {
  const keys = childrenAt(tree, path).flatMap(({ children }) => children?.[0] ?? []);
  const names = new Set(keys.map(({ value }) => String(value)));
  return keys.flatMap((node) => {
    const key = String(node.value);
    const by = rename(key);
    // Two entries of one name would lose one of them.
    return by === key || names.has(by) ? [] : [{ node, by, place: [...path, key].join(".") }];
  });
}
