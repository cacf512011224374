import { quoteWord } from "../../../../core/command/words.ts";
import { runCommand } from "../net/api.ts";
import { toast } from "../parts/controls/toasts.tsx";
import { currentCatalog, loadCatalog } from "./use-catalog.ts";

/** [E25] Makes a loadout the one that `cast` runs, as the command of that name does. */
export async function activateLoadout(name: string): Promise<void> {
  const answer = await runCommand(`loadout ${quoteWord(name)}`);
  if (!answer.ok) return answer.issues.forEach(({ message }) => toast({ text: message, tone: "bad" }));
  await loadCatalog();
  toast({ text: `${name} is the active loadout now.`, tone: "ok" });
}

/** [E25] Where the active loadout has just been renamed or deleted and some other file names it, that is put right too. */
export async function updateActiveLoadout(was: string, now: string | null): Promise<void> {
  const catalog = currentCatalog();
  if (!catalog || catalog.settings.activeLoadout.value !== was || catalog.loadouts.has(was)) return;
  const next =
    now ?? [...catalog.loadouts.keys()].find((name) => name === "Full-Auto") ?? catalog.loadouts.keys().next().value;
  if (next !== undefined) await activateLoadout(next);
}
