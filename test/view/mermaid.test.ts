import { describe, expect, it } from "vitest";
import { mermaidText } from "../../src/core/view/graph/export.ts";
import { emptyGraph, fullAuto, graphOf } from "../harness/build.ts";

describe("[C18] a graph as Mermaid", () => {
  it("a subgraph per loop, dashes where work goes back, exits from their member", () => {
    expect(mermaidText(fullAuto())).toBe(
      [
        "flowchart TD",
        '  start(["entry"])',
        '  s1{{"◆ Ignore-Artifacts<br/>Socket-1"}}',
        '  s2{{"◆ Detect-VCS<br/>Socket-2"}}',
        '  s3(["● Auto-Plan<br/>Socket-3"])',
        '  subgraph loop1["Loop workItemIteration over the work items of Socket-3 (Auto-Plan)"]',
        '    s4(["● Build<br/>Socket-4"])',
        '    s5(["● Auto-Eval<br/>Socket-5"])',
        '    s6(["● Maintain<br/>Socket-6"])',
        "  end",
        '  s7(["● Narrate<br/>Socket-7"])',
        '  finish(["end"])',
        "  start --> s1",
        "  s1 --> s2",
        "  s2 --> s3",
        "  s3 --> s4",
        "  s4 --> s5",
        '  s5 -->|"✓ satisfied"| s6',
        '  s5 -.->|"✗ not satisfied, at most 3 times"| s4',
        "  s6 --> s4",
        "  s7 --> finish",
        '  s6 -->|"exit · always"| s7',
        '  s3 -.-|"work items"| loop1',
        "",
      ].join("\n"),
    );
  });

  it.each<[string, string]>([
    ['"]; click s1 "javascript:x', "#34;#93;#59; click s1 #34;javascript:x"],
    ["<img src=x>", "#60;img src#61;x#62;"],
    ["`**bold**` #1;", "#96;#42;#42;bold#42;#42;#96; #35;1#59;"],
    ["\u202eevil", "#65533;evil"],
    ["名前 é", "名前 é"],
    ["😀", "#128512;"],
  ])("a materia called %s stays a name", (materia, label) => {
    const text = mermaidText(graphOf({ entry: "Socket-1", sockets: { "Socket-1": { materia } } }));
    expect(text).toContain(`  s1(["● ${label}<br/>Socket-1"])\n`);
  });

  it("ids that mean something to Mermaid are not used as ids", () => {
    const sockets = {
      subgraph: { materia: "A", edges: [{ when: "always" as const, to: "click" }] },
      click: { materia: "B" },
    };
    const text = mermaidText(graphOf({ entry: "subgraph", sockets }));
    expect(text).toContain("\n  s1 --> s2\n  s2 --> finish\n");
  });

  it("no sockets", () => {
    expect(mermaidText(emptyGraph("A;B"))).toBe('flowchart TD\n  none["A#59;B: no sockets"]\n');
  });
});
