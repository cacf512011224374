import { dirname, isAbsolute, join } from "node:path";
import { isJsonObject, type Json } from "../../core/model/values/json.ts";
import { tryStat } from "../system/regular-file.ts";

/** [U39] A configuration as read, with the files that its commands name found from the folder of the file that names them. */
export function resolveCommandFiles(raw: unknown, file: string): unknown {
  const materia = isJsonObject(raw) ? raw["materia"] : undefined;
  if (!isJsonObject(raw) || !isJsonObject(materia)) return raw;
  const folder = dirname(file);
  const found = Object.entries(materia).map(([name, each]): [string, Json] => {
    const command = isJsonObject(each) ? each["command"] : undefined;
    return isJsonObject(each) && Array.isArray(command)
      ? [name, { ...each, command: command.map((word, index) => resolveWord(folder, word, index)) }]
      : [name, each];
  });
  return { ...raw, materia: Object.fromEntries(found) };
}

function resolveWord(folder: string, word: Json, index: number): Json {
  return (typeof word === "string" ? findCommandFile(folder, word, index) : undefined) ?? word;
}

/** The file beside the configuration that a word of a command names, if it names one; a program without a slash is one of PATH. */
export function findCommandFile(folder: string, word: string, index: number): string | undefined {
  if (word === "" || isAbsolute(word) || word.startsWith("-") || word.includes("\0")) return undefined;
  if (index === 0 && !word.includes("/")) return undefined;
  const file = join(folder, word);
  return tryStat(file)?.isFile() === true ? file : undefined;
}
