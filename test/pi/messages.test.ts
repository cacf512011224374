import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPiSession } from "../harness/pi-session.ts";

describe("[X19] messages during other visits", () => {
  it("are kept, and sent when the cast is over", async () => {
    const pi = await openPiSession({ replies: [{ call: "bash", args: { command: "true" } }, "built", "the joke"] });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    await pi.type("tell me a joke");
    expect(await pi.sees(/^info/)).toMatch(/Kept until the cast is over.*“tell me a joke”/);
    await pi.sees(/^materia-result/);
    await pi.sees(/^settled/);
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: tell me a joke");
    expect(pi.requests.slice(0, 2).map(({ messages }) => messages.join())).not.toContain("joke");
  });
});

describe("[X19] messages to Pi itself", () => {
  it("reach the answer that they steer, also beside a cast", async () => {
    const waits = "until [ -f go ]; do sleep 0.02; done";
    const pi = await openPiSession({
      replies: [{ call: "bash", args: { command: waits } }, { hang: true }, "steered"],
    });
    const asked = pi.asked();
    const mine = pi.type("work");
    await asked;
    const second = pi.asked();
    await pi.type("/materia link Build -- make it");
    await second;
    await pi.session.prompt("and this", { source: "interactive", streamingBehavior: "steer" });
    writeFileSync(join(pi.cwd, "go"), "");
    await pi.type("/materia abort");
    await mine;
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: and this");
  });
});

describe("[X19] messages in a session that is left", () => {
  it("go back into the editor", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }], editorText: "half a sen" });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    await pi.type("tell me a joke");
    await pi.leave("new");
    expect(await pi.sees(/^editor/)).toBe("editor: tell me a joke\n\nhalf a sen");
    expect(pi.requests).toHaveLength(1);
  });
});
