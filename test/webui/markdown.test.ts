import * as fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown } from "../../src/apps/web/ui/markdown.tsx";

function drawn(text: string): string {
  return renderToStaticMarkup(createElement(Markdown, { text }));
}

/** Every element with its attributes, as `a href=https://… rel=…`; text is no part of it. */
function elements(html: string): readonly string[] {
  return [...html.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name = "", attributes = ""]) => `${name}${attributes}`,
  );
}

const SAFE =
  /^(?:p|h[3-6]|ul|ol|li|pre|code|blockquote|hr|br|strong|em|del|table|thead|tbody|tr|th|td|div|span|input|a)(?: (?:class|dir|start|type|checked|disabled|readOnly|aria-label|role|tabindex|scope|style|title|href|rel|target)="[^"]*")*$/;
const ADDRESS = /href="([^"]*)"/g;

function faults(html: string): readonly string[] {
  const found = elements(html);
  const addresses = [...html.matchAll(ADDRESS)].map(([, href = ""]) => href);
  return [
    ...found.filter((element) => !SAFE.test(element)),
    ...addresses.filter((href) => !/^(?:https?:\/\/|mailto:)/.test(href)),
    // A style says nothing but where a cell's text stands.
    ...found.filter((element) => /style="(?!text-align:(?:left|right|center)")/.test(element)),
  ];
}

describe("[W23] Markdown of agents", () => {
  it.each<[rule: string, text: string, html: RegExp]>([
    ["[W23] headings below the panel's own", "# One\n\n### Three", /<h3[^>]*>One<\/h3>\s*<h4[^>]*>Three<\/h4>/],
    ["[W23] lists in lists", "- a\n  1. b", /<ul[^>]*><li>a<ol[^>]*><li>b<\/li><\/ol><\/li><\/ul>/],
    ["[W23] tasks", "- [x] a\n- [ ] b", /aria-label="done".*aria-label="open"/s],
    ["[W23] tables", "|a|b|\n|-|-:|\n|1|`2`|", /<th[^>]*>a<\/th>.*<td style="text-align:right"><code>2<\/code>/s],
    ["[W23] code", "```ts\na < b\n```", /<pre[^>]*>a &lt; b<\/pre>/],
    ["[W49] colours", "```ts\nconst a = 1;\n```", /<span[^>]*keyword[^>]*>const<\/span> a = <span[^>]*figure[^>]*>1/],
    ["[W49] the direction of a text", "مرحبا", /<p dir="auto">مرحبا<\/p>/],
    ["[W49] the direction of a list", "1. مرحبا\n\n2. ثم", /<ol[^>]* dir="rtl"[^>]*><li><p dir="auto">مرحبا/],
    ["[W49] the direction of a quotation", "> مرحبا", /<blockquote[^>]* dir="rtl">/],
    ["[W49] the direction of a table", "|مرحبا|b|\n|-|-|\n|1|2|", /<table dir="rtl">/],
    ["[W49] the direction of a heading", "# مرحبا", /<h3[^>]* dir="auto">/],
    ["[W23] words", "**a** _b_ ~~c~~ `d`", /<strong>a<\/strong> <em>b<\/em> <del>c<\/del> <code>d<\/code>/],
    ["[W23] a link", "[x](https://a.example/b)", /<a href="https:\/\/a.example\/b" rel="noopener noreferrer nofollow"/],
    ["[W23] an image is a link", "![x](https://a.example/b.png)", /<a href="https:\/\/a.example\/b.png"[^>]*>x<\/a>/],
    ["[W23] mail", "<a@b.example>", /<a href="mailto:a@b.example"/],
    ["[W23] a path is no link", "[x](src/a.ts)", /<span title="src\/a.ts">x<\/span>/],
    ["[W23] signs by name", "a &lt; b &amp; c", /a &lt; b &amp; c/],
    ["[W23] other writing", "# مرحبا\n\n- สวัสดี\n- 👩‍👩‍👧", /<h3[^>]*>مرحبا<\/h3>.*สวัสดี.*👩‍👩‍👧/s],
  ])("%s", (_rule, text, html) => {
    expect(drawn(text)).toMatch(html);
    expect(faults(drawn(text))).toEqual([]);
  });

  it.each<[rule: string, text: string]>([
    ["[W23] a script", "<script>alert(1)</script>"],
    ["[W23] an element with a handler", "a <img src=x onerror=alert(1)> b"],
    ["[W23] a frame in a block", "<iframe src='https://a.example'></iframe>\n\n<svg onload=alert(1)>"],
    ["[W23] a script as an address", "[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](vbscript:x)"],
    ["[W23] signs in an address", "[x](java&#115;cript:alert(1)) [y](&#106;avascript:alert(1)) [z](java\tscript:1)"],
    ["[W23] a space before it", "[x]( javascript:alert(1)) [y](<\u0001javascript:alert(1)>)"],
    ["[W23] an address in brackets", "<javascript:alert(1)> <data:text/html,x>"],
    ["[W23] by reference", "[x][1] ![y][1]\n\n[1]: javascript:alert(1) 'title\" onclick=\"x'"],
    ["[W23] data as an image", "![x](data:image/svg+xml,<svg onload=alert(1)>)"],
    ["[W23] a title that breaks out", "[x](https://a.example '\" onmouseover=\"alert(1)')"],
    ["[W23] an address that breaks out", '[x](https://a.example/"onmouseover="alert(1)) <https://a.example/"><b>'],
    ["[W23] a language that breaks out", '```"><script>alert(1)</script>\nx\n```'],
    ["[W23] a cell that breaks out", '|a|\n|-|\n|<img src=x onerror="1">|'],
    ["[W23] quotations without end", `${"> ".repeat(5_000)}x`],
    ["[W23] lists without end", Array.from({ length: 400 }, (_, deep) => `${"  ".repeat(deep)}- x`).join("\n")],
    ["[W23] brackets without end", "[".repeat(20_000)],
    ["[W23] stars without end", "*a **b ".repeat(2_000)],
    ["[W23] more than anybody reads", "# x\n\n".repeat(60_000)],
  ])("%s", (_rule, text) => {
    expect(faults(drawn(text))).toEqual([]);
  });

  it("[W23] no text makes it throw or lets anything else through", () => {
    const piece = fc.constantFrom(
      ..."# > - * _ ` ~ | [ ] ( ) ! < > & ; \\ \n \n\n 1. ``` --- :-: <b> </b> <a href= onclick= javascript: data: http:// x".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }), (pieces) => {
        expect(faults(drawn(pieces.join("")))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
