/** What cannot be seen, or reorders what can: in a diff it is shown by its number, because it is part of the change. */
const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** A line as a person should see it. */
export function showHiddenCharacters(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r$/, "␍")
    .replace(HIDDEN_CHARACTERS, (mark) => `⟨${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}
