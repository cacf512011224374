import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Standard output and standard error as one: a program gets `end` for both, and `reader` has them as they came. */
export interface JoinedStreams {
  readonly reader: Socket;
  readonly end: Socket;
}

/** [Q2] Two pipes would be read one after the other, and a failing test would stand far from its message. */
export async function openJoinedStreams(): Promise<JoinedStreams | Error> {
  const server = createServer();
  try {
    const address = socketAddress(process.platform);
    server.listen(address);
    await once(server, "listening");
    return await connectPair(server, address);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    server.close();
  }
}

async function connectPair(server: Server, address: string): Promise<JoinedStreams> {
  const end = connect(address);
  // Both are awaited at once: either may be first.
  const [[reader]] = await Promise.all([once(server, "connection"), once(end, "connect")]);
  return { reader: reader as Socket, end }; // a server's connection is a socket
}

/** A name that nobody can guess; on Linux without a file. */
function socketAddress(platform: NodeJS.Platform): string {
  const name = `pi-materia-${randomUUID()}`;
  if (platform === "linux") return `\0${name}`;
  return platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}
