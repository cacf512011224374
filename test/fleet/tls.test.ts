import { chownSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { migrateFleet } from "../../src/shell/fleet/worker/migrate-fleet.ts";
import { openDatabase } from "../../src/shell/store/postgres/database.ts";
import { castsIn, newPlace, put, run, userFolder } from "../harness/cli.ts";
import { authority } from "../harness/fleet/certificates.ts";
import { ownServer } from "../harness/fleet/own-server.ts";
import { opened } from "../harness/fleet/postgres.ts";
import { NOBODY, isRoot } from "../harness/fleet/programs.ts";

/** Of this machine, and yet no address that counts as its own. */
const ELSEWHERE = "127.0.0.2";
const { ca, certify } = authority();

/** Says of itself what a certificate says, and lets nobody in: how far one comes tells what was believed. */
async function pretender(names: readonly string[]): Promise<number> {
  const { cert, key } = certify(...names);
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write("S");
      const secured = new TLSSocket(socket, { isServer: true, cert, key });
      secured.on("error", () => undefined);
      secured.once("data", () => secured.end(refusal("28000", "let nobody in")));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port; // it listens on a port
}

function refusal(code: string, text: string): Buffer {
  const body = Buffer.from(`SFATAL\0C${code}\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

it.each<[what: string, host: string, names: readonly string[], said: string]>([
  ["an address that the certificate names", ELSEWHERE, [ELSEWHERE], "let nobody in"],
  ["an address that it names beside others", ELSEWHERE, ["db.example.org", "10.0.0.1", ELSEWHERE], "let nobody in"],
  ["another address", ELSEWHERE, ["127.0.0.3"], "does not match certificate's altnames"],
  ["a name where an address was dialled", ELSEWHERE, ["localhost"], "does not match certificate's altnames"],
  ["the address as a name", ELSEWHERE, ["db.example.org"], "does not match certificate's altnames"],
  ["a name that it names", "localhost", ["localhost"], "let nobody in"],
  ["another name", "localhost", ["db.example.org", "127.0.0.1"], "does not match certificate's altnames"],
])("[B4] whose certificate is believed: %s", async (_what, host, names, said) => {
  const port = await pretender(names);
  const database = await openDatabase({ url: `postgres://ann@${host}:${port}/x`, ca });
  if (!database.ok) throw new Error(JSON.stringify(database.issues));
  onTestFinished(() => database.value.close());
  await expect(database.value.queryOnce({ text: "select 1" })).rejects.toThrow(said);
});

it("[B4] a certificate of an authority that nobody named is not believed", async () => {
  const port = await pretender([ELSEWHERE]);
  const database = await openDatabase({ url: `postgres://ann@${ELSEWHERE}:${port}/x` });
  if (!database.ok) throw new Error(JSON.stringify(database.issues));
  onTestFinished(() => database.value.close());
  await expect(database.value.queryOnce({ text: "select 1" })).rejects.toThrow(
    /unable to verify|self.signed|local issuer/,
  );
});

it.each([
  ["postgres://localhost/x?host=db.example.org", "db.example.org"],
  ["postgres://db.example.org/x?host=", "db.example.org"],
  ["postgres://localhost/x?host=localhost&host=db.example.org", "db.example.org"],
])("[B4] what is dialled decides, not how it is written: %s", async (url, host) => {
  const refused = await openDatabase({ url: `${url}&sslmode=disable` });
  expect(refused).toMatchObject({
    ok: false,
    issues: [{ code: "insecure_database", message: expect.stringContaining(host) }],
  });
});

it("[B4] on the command line a certificate of another host is refused, and nothing is sent", async () => {
  const port = await pretender(["db.example.org"]);
  const cwd = newPlace({ "conf.json": { materia: { Say: { type: "utility", command: ["true"] } } } });
  const file = join(userFolder(cwd), "ca.pem");
  put(userFolder(cwd), { "ca.pem": ca });
  const profile = { url: `postgres://ann@${ELSEWHERE}:${port}/x`, project: "p", ca: file };
  put(userFolder(cwd), { "materia.json": { fleet: { profiles: { f: profile } } } });
  for (const words of [["casts"], ["link", "Say", "--", "go"], ["worker"]]) {
    const { code, stderr } = await run(["--on", "f", "--config", "conf.json", ...words], { cwd });
    expect([words, code, stderr]).toEqual([words, 2, expect.stringContaining("insecure_database")]);
  }
  expect(castsIn(cwd)).toEqual([]);
});

it("[B4] the tables and queues of a fleet are made over encrypted connections alone", async () => {
  const folder = mkdtempSync(join(process.env["MATERIA_TEST_POSTGRES"] ?? "", "tls-"));
  const { cert, key } = certify(ELSEWHERE);
  const put = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (isRoot) chownSync(file, NOBODY.uid, NOBODY.gid);
    return file;
  };
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const rules = "hostssl fleet all all trust\nhostnossl fleet all all reject\nhost all all all trust\n";
  const server = await ownServer({
    settings: [
      `listen_addresses=127.0.0.1,${ELSEWHERE}`,
      "ssl=on",
      `ssl_cert_file=${put("server.crt", cert)}`,
      `ssl_key_file=${put("server.key", key)}`,
      `hba_file=${put("hba.conf", rules)}`,
    ],
  });
  onTestFinished(server.close);
  const admin = await opened(server.url);
  await admin.queryOnce({ text: "create database fleet" });
  await admin.close();
  const url = server.url.replace("127.0.0.1", ELSEWHERE).replace(/\/postgres$/, "/fleet");
  expect(await migrateFleet({ url, ca })).toEqual({ ok: true, value: undefined });
});
