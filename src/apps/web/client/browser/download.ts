/** Hands a text to the person as a file. */
export function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
