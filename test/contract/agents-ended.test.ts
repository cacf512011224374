import { getEventListeners, once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { BODIES, HANG } from "../harness/agent-bodies.ts";
import { ask, scratchFolder } from "../harness/agents.ts";

function noEars(): never {
  throw new Error("no ears");
}

describe.each(BODIES)("agents %s that are ended or cannot begin", (_name, play) => {
  it("[A20] a turn that is aborted before it begins asks nobody", async () => {
    const { host } = await play([{ text: "built" }]);
    const { request, abort, progress } = ask();
    abort();
    expect(await host.runTurn(request)).toMatchObject({ kind: "failed", reason: "aborted" });
    expect(progress).toEqual([]);
  });

  it("[A20] an abort ends a turn that waits for its answer", async () => {
    const { host, hanging, timer } = await play([{ text: "late", delayMs: HANG }]);
    const { request, abort } = ask();
    const asked = hanging();
    const turn = host.runTurn(request);
    await asked;
    abort();
    expect(await turn).toMatchObject({ kind: "failed", reason: "aborted" });
    expect(timer.waiting()).toEqual([]);
    expect(getEventListeners(request.signal, "abort")).toEqual([]);
  });

  it("[A20] an abort that comes while the agent gets its task is not forgotten", async () => {
    const { host } = await play([{ text: "built" }]);
    const { request, abort } = ask();
    const onProgress = () => abort();
    expect(await host.runTurn({ ...request, onProgress })).toMatchObject({ kind: "failed", reason: "aborted" });
  });

  it("[A20] an abort ends the commands that the agent has started", async () => {
    const listener = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void listener.close());
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port}; sleep 1000 & sleep 1000`;
    const { host } = await play([{ tools: [{ name: "bash", arguments: { command } }], text: "done" }]);
    const { request, abort } = ask({ tools: ["bash"] });
    const connected = once(listener, "connection") as Promise<[Socket]>;
    const turn = host.runTurn(request);
    const [connection] = await connected;
    const gone = once(connection.resume(), "close");
    abort();
    expect(await turn).toMatchObject({ kind: "failed", reason: "aborted" });
    // Both sleeps held the connection; it closes when the last of them is gone.
    await gone;
  });

  it("[A21] a turn of which nothing is heard for too long is ended", async () => {
    const { host, hanging, timer } = await play([{ text: "late", delayMs: HANG }], { silenceMs: 90_000 });
    const asked = hanging();
    const turn = host.runTurn(ask().request);
    await asked;
    timer.fire(90_000);
    expect(await turn).toMatchObject({
      kind: "failed",
      reason: "timeout",
      message: "nothing was heard of the agent for 90 s",
    });
    expect(timer.waiting()).toEqual([]);
  });

  it("[A21] a turn that is heard of leaves no timer behind", async () => {
    const { host, timer } = await play([{ text: "built" }], { silenceMs: 90_000 });
    expect(await host.runTurn(ask().request)).toMatchObject({ kind: "said" });
    expect(timer.waiting()).toEqual([]);
  });

  it("[D9] a transcript that cannot be written is a broken disk", async () => {
    const { host } = await play([{ text: "built" }]);
    const file = join(scratchFolder(), "file");
    writeFileSync(file, "");
    const outcome = await host.runTurn(ask({ transcript: join(file, "transcript.jsonl") }).request);
    expect(outcome).toMatchObject({ kind: "failed", reason: "disk", usage: { input: 0, output: 0 } });
  });

  it("[D9] a folder that may not be written is a broken disk, and nobody is asked", async () => {
    const { host } = await play([{ text: "built" }]);
    const { request, progress } = ask();
    mkdirSync(join(request.cwd, "visits"), { mode: 0o500 });
    // Who may write everywhere is stopped by a file in its place.
    if (process.getuid?.() === 0) writeFileSync(join(request.cwd, "visits", "1"), "");
    expect(await host.runTurn(request)).toMatchObject({ kind: "failed", reason: "disk" });
    expect(progress).toEqual([]);
  });

  it("[D9] a transcript that is lost in the middle of a turn is a broken disk", async () => {
    const command = "rm -r visits && touch visits";
    const { host } = await play([{ tools: [{ name: "bash", arguments: { command } }], text: "done" }]);
    expect(await host.runTurn(ask({ tools: ["bash"] }).request)).toMatchObject({ kind: "failed", reason: "disk" });
  });

  it("[D9] a transcript that is a folder is a broken disk", async () => {
    const { host } = await play([{ text: "built" }]);
    const { request } = ask({ history: "continued" });
    mkdirSync(request.transcript, { recursive: true });
    expect(await host.runTurn(request)).toMatchObject({
      kind: "failed",
      reason: "disk",
      message: expect.stringContaining("EISDIR"),
    });
  });

  it("[A1] a listener that throws fails the turn, not the caller", async () => {
    const { host } = await play([{ text: "built" }]);
    expect(await host.runTurn(ask({ onProgress: noEars }).request)).toMatchObject({
      kind: "failed",
      message: "no ears",
    });
  });
});
