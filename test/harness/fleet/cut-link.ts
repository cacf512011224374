import { connect, createServer, type Socket } from "node:net";

/** The way to a database, which can be cut: nothing comes through any more, and neither side notices. */
export interface Link {
  readonly url: string;
  readonly cut: () => void;
  /** Delivers what was sent during the cut, as after a short cut; or closes the connections, as after a long one. */
  readonly mend: (old: "arrives" | "is gone") => void;
  readonly close: () => Promise<void>;
}

export async function openLink(url: string): Promise<Link> {
  const to = new URL(url);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(to.port), to.hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      for (const each of pair) each.destroy();
    };
    for (const [from, into] of [pair, [far, near] as const]) {
      from.on("data", (bytes) => into.write(bytes));
      from.on("end", end);
      from.on("error", end);
      if (isCut) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const through = new URL(url);
  through.port = String(typeof address === "object" ? address?.port : "");
  return {
    url: through.toString(),
    cut: () => {
      isCut = true;
      for (const each of [...pairs].flat()) each.pause();
    },
    mend: (old) => {
      isCut = false;
      for (const each of [...pairs].flat())
        if (old === "arrives") each.resume();
        else each.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        for (const each of [...pairs].flat()) each.destroy();
        server.close(() => resolve());
      }),
  };
}
