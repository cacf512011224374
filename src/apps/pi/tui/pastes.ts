/** A terminal gives a paste in one piece between these marks: nothing inside of it is a key. */
const PASTE_PATTERN = /^\u001b\[200~(.*)\u001b\[201~$/s;

/** What was pasted, without what a terminal would obey; nothing where it is no paste. */
export function pastedText(data: string): string | undefined {
  const text = PASTE_PATTERN.exec(data)?.[1];
  return text?.replace(/\r\n?/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, "");
}

/** The same paste for a field of one line: its lines beside each other, not run together. */
export function pastedLine(data: string): string | undefined {
  const text = pastedText(data);
  return text === undefined ? undefined : `\u001b[200~${text.trim().replace(/\s*\n\s*/g, " ")}\u001b[201~`;
}
