import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

/** One answer of the stand-in for a model provider. */
export type ServerReply =
  | { readonly text: string; readonly usage?: ServerUsage; readonly cutOff?: boolean; readonly until?: Promise<void> }
  | { readonly call: ServerCall; readonly words?: string; readonly usage?: ServerUsage }
  /** The stream carries the call, then a refusal in place of its end. */
  | { readonly call: ServerCall; readonly refused: string }
  | { readonly calls: readonly ServerCall[]; readonly usage?: ServerUsage }
  | { readonly status: number; readonly message: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly hang: "before" | "after text" }
  | { readonly drop: true };

interface ServerCall {
  readonly name: string;
  readonly arguments: unknown;
}

interface ServerUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

interface ServerRequest {
  readonly model: string;
  readonly reasoning_effort?: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface ModelServer {
  readonly url: string;
  readonly requests: readonly ServerRequest[];
  /** Appends to the replies that are still to be given. */
  readonly say: (...replies: readonly ServerReply[]) => void;
  /** Resolves when the next request has come in. */
  readonly asked: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An OpenAI-compatible server on the loopback that gives these replies in order, then fails for good. */
export async function startModelServer(replies: readonly ServerReply[]): Promise<ModelServer> {
  const requests: ServerRequest[] = [];
  const left = [...replies];
  let arrival = Promise.withResolvers<void>();
  const take = (body: string, response: ServerResponse) => {
    requests.push(JSON.parse(body) as ServerRequest);
    arrival.resolve();
    arrival = Promise.withResolvers<void>();
    answer(response, left.shift() ?? { status: 400, message: "the script of the server is over" }, requests.length);
  };
  const server = createServer((request, response) => {
    textOf(request).then(
      (body) => take(body, response),
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    say: (...more) => void left.push(...more),
    asked: () => arrival.promise,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(response: ServerResponse, reply: ServerReply, number: number): void {
  if ("drop" in reply) {
    response.destroy();
    return;
  }
  if ("status" in reply) {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify({ error: { message: reply.message, type: "stand_in" } }));
    return;
  }
  if ("hang" in reply && reply.hang === "before") return;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (data: object) => response.write(`data: ${JSON.stringify({ id: `r${number}`, ...data })}\n\n`);
  const delta = (part: object, finish: string | null = null) =>
    send({ choices: [{ index: 0, delta: part, finish_reason: finish }] });
  if ("hang" in reply) {
    delta({ role: "assistant", content: "thinking aloud" });
    return;
  }
  if ("call" in reply || "calls" in reply) {
    const calls = ("calls" in reply ? reply.calls : [reply.call]).map(({ name, arguments: args }, index) => ({
      index,
      id: `call-${number}${index === 0 ? "" : `-${index}`}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const content = "words" in reply ? { content: reply.words } : {};
    delta({ role: "assistant", ...content, tool_calls: calls });
    if ("refused" in reply) {
      send({ error: { message: reply.refused, code: 429 } });
      response.end("data: [DONE]\n\n");
      return;
    }
    delta({}, "tool_calls");
  } else if (reply.until) {
    // The first half is sent while the rest waits.
    const half = Math.ceil(reply.text.length / 2);
    delta({ role: "assistant", content: reply.text.slice(0, half) });
    void reply.until.then(() => {
      delta({ content: reply.text.slice(half) });
      delta({}, "stop");
      end(response, send, reply.usage);
    });
    return;
  } else {
    delta({ role: "assistant", content: reply.text });
    delta({}, reply.cutOff ? "length" : "stop");
  }
  end(response, send, reply.usage);
}

function end(response: ServerResponse, send: (data: object) => void, usage?: ServerUsage): void {
  const { input, output, cached = 0 } = usage ?? { input: 0, output: 0 };
  send({
    choices: [],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
    },
  });
  response.end("data: [DONE]\n\n");
}
