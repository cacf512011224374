import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { captureBeginning, captureEnd } from "../../src/shell/run/utility-output.ts";

const MEBIBYTE = 1024 * 1024;

/** What is kept of these bytes, told in parts of this size. */
async function kept(bytes: Buffer, part = bytes.length) {
  const stream = new PassThrough();
  const [first, last] = [captureBeginning(stream), captureEnd(stream)];
  for (let from = 0; from < bytes.length; from += part) stream.write(bytes.subarray(from, from + part));
  stream.end();
  await new Promise((resolve) => stream.once("end", resolve));
  return { first, last };
}

/** Bytes in which no two places look alike. */
function numbered(size: number): Buffer {
  return Buffer.from(
    Array.from({ length: Math.ceil(size / 8) }, (_, at) => String(at).padStart(8, "0")).join(""),
  ).subarray(0, size);
}

it.each<[rule: string, size: number, part: number]>([
  ["[U7] nothing", 0, 1],
  ["[U7] one byte less than is kept", MEBIBYTE - 1, 65_536],
  ["[U7] exactly what is kept", MEBIBYTE, 65_536],
  ["[U7] one byte more than is kept", MEBIBYTE + 1, 65_536],
  ["[U7] as much as there is room for at once", 2 * MEBIBYTE, 65_536],
  ["[U7] more than there is room for, in parts", 3 * MEBIBYTE + 17, 60_001],
  ["[U7] more than there is room for, in one part", 3 * MEBIBYTE + 17, 4 * MEBIBYTE],
])("%s: the beginning and the end are the first and the last mebibyte", async (_rule, size, part) => {
  const bytes = numbered(size);
  const { first, last } = await kept(bytes, part);
  const isCut = size > MEBIBYTE;
  expect([first.isCut(), last.isCut()]).toEqual([isCut, isCut]);
  expect(first.text() === bytes.subarray(0, MEBIBYTE).toString()).toBe(true);
  const end = bytes.subarray(-MEBIBYTE).toString();
  expect(last.text() === end).toBe(true);
  expect(last.textWithBeginning() === (isCut ? `${bytes.subarray(0, 4_096).toString()}\n…\n${end}` : end)).toBe(true);
});

it("[U7] a character that the cut goes through is left out at either end; broken ones and a mark of order stay to be seen", async () => {
  const cut = await kept(Buffer.concat([numbered(MEBIBYTE - 1), Buffer.from("ü"), numbered(MEBIBYTE - 1)]));
  expect(cut.first.text() === numbered(MEBIBYTE - 1).toString()).toBe(true);
  expect(cut.last.text() === numbered(MEBIBYTE - 1).toString()).toBe(true);
  const odd = await kept(Buffer.concat([Buffer.from("\uFEFFa"), Buffer.from([0xff, 0xc3])]));
  expect([odd.first.text(), odd.last.text()]).toEqual(["\uFEFFa\uFFFD\uFFFD", "\uFEFFa\uFFFD\uFFFD"]);
});

it("[U7] a stream that is not there said nothing", () => {
  const [first, last] = [captureBeginning(null), captureEnd(null)];
  expect([first.text(), first.isCut(), last.text(), last.textWithBeginning(), last.isCut()]).toEqual([
    "",
    false,
    "",
    "",
    false,
  ]);
});
