import { Buffer } from "node:buffer";

/** [S7] The ways in which a secret is written when it is not written plainly: inside JSON, inside that again, in an address, as base64 or in hex. */
export function encodingsOf(secret: string): ReadonlySet<string> {
  const once = jsonEscaped(secret);
  const twice = jsonEscaped(once);
  const plain = [secret, once, twice, jsonEscaped(twice), once.replaceAll("/", "\\/"), unicodeEscaped(secret)];
  if (secret.length < 8) return new Set(plain);
  const bytes = Buffer.from(secret);
  return new Set([...plain, urlEncoded(secret), htmlEscaped(secret), bytes.toString("hex"), ...base64Fragments(bytes)]);
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As languages write it that know only plain letters. */
function unicodeEscaped(text: string): string {
  return jsonEscaped(text).replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function urlEncoded(text: string): string {
  // A lone surrogate has no such form.
  return encodeURIComponent(text.toWellFormed());
}

function htmlEscaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Wherever it stands in what was encoded: three ways to be cut into groups of three bytes, without the signs that it shares with its neighbours. */
function base64Fragments(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1;
    const own = text.slice(before === 0 ? 0 : before + 1, text.length - shared);
    return own.length < 8 ? [] : [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
