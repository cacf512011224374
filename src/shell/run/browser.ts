import { spawn } from "node:child_process";
import { problemText } from "../system/problem.ts";

/** Opens an address with the system's own opener, without a shell: an address may hold characters that one would obey. */
export function openInBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<string | undefined> {
  const [program, ...args] = openerOf(platform, url);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true, shell: false });
    child.once("error", (thrown) => resolve(problemText(thrown)));
    child.once("spawn", () => {
      child.unref();
      resolve(undefined);
    });
  });
}

function openerOf(platform: NodeJS.Platform, url: string): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}
