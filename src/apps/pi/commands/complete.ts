import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

export async function complete(_typed: string, _here: ExtensionContext | undefined): Promise<null> {
  return null;
}
