import { complaintOf, runGit, textOf } from "../run-git.ts";

/** A file, or the message of a commit, that others have not seen yet. */
export interface NewText {
  readonly name: string;
  readonly text: string;
}

export type NewTexts =
  | { readonly kind: "texts"; readonly texts: AsyncIterable<NewText>; readonly tooLarge: readonly string[] }
  | { readonly kind: "failed"; readonly problem: string };

const MOST_AT_ONCE = 32 * 1024 * 1024;
const LARGEST = 20 * 1024 * 1024;

interface Found {
  readonly id: string;
  readonly name: string;
  readonly size: number;
}

/** [B24] All that is reachable from a commit and from none of those that others have. */
export async function newTexts(cwd: string, commit: string, known: readonly string[]): Promise<NewTexts> {
  const input = [commit, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join("");
  const listed = await runGit(["rev-list", "--objects", "--ignore-missing", "--stdin"], { cwd, input });
  if (!listed.ok) return { kind: "failed", problem: complaintOf(listed) };
  const names = new Map(
    textOf(listed)
      .split("\n")
      .map((line): [string, string] => [line.slice(0, line.search(/ |$/)), line.slice(line.search(/ |$/) + 1)]),
  );
  const sized = await runGit(["cat-file", "--batch-check"], { cwd, input: `${[...names.keys()].join("\n")}\n` });
  if (!sized.ok) return { kind: "failed", problem: complaintOf(sized) };
  const found = textOf(sized)
    .split("\n")
    .flatMap((line): readonly Found[] => {
      const [id = "", type, size] = line.split(" ");
      if (type !== "blob" && type !== "commit") return [];
      const name = type === "commit" ? `the message of commit ${id.slice(0, 12)}` : (names.get(id) ?? id);
      return [{ id, name, size: Number(size) }];
    });
  const tooLarge = found.filter(({ size }) => size > LARGEST).map(({ name }) => name);
  const small = found.filter(({ size }) => size <= LARGEST);
  return { kind: "texts", texts: readAll(cwd, small), tooLarge };
}

async function* readAll(cwd: string, found: readonly Found[]): AsyncIterable<NewText> {
  for (let at = 0; at < found.length;) {
    let size = 0;
    const batch: Found[] = [];
    for (let next = found[at]; next && (size === 0 || size + next.size <= MOST_AT_ONCE); next = found[at]) {
      batch.push(next);
      size += next.size + 1;
      at += 1;
    }
    const input = `${batch.map(({ id }) => id).join("\n")}\n`;
    const { ok, stdout, ...answer } = await runGit(["cat-file", "--batch"], { cwd, input });
    // Whoever reads would take what is missing for harmless.
    if (!ok) throw new Error(complaintOf({ ok, stdout, ...answer }));
    let from = 0;
    for (const each of batch) {
      const begin = stdout.indexOf(0x0a, from) + 1;
      yield { name: each.name, text: stdout.toString("utf8", begin, begin + each.size) };
      from = begin + each.size + 1;
    }
  }
}
