import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../src/slug.mjs";

test("joins words with hyphens", () => {
  assert.equal(slugify("Hello, World!"), "hello-world");
});

test("drops accents", () => {
  assert.equal(slugify("Crème brûlée"), "creme-brulee");
});

test("has no hyphen at either end", () => {
  assert.equal(slugify("  (draft)  "), "draft");
});
