import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { isIP } from "node:net";

/** A private authority, made on the spot: nothing of it is kept anywhere. */
export interface Authority {
  /** What its users are given. */
  readonly ca: string;
  /** A certificate for these names and addresses, with its key. */
  readonly certify: (...names: readonly string[]) => { readonly cert: string; readonly key: string };
}

export function authority(): Authority {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = nameOf("Authority of a test");
  const isAuthority = extension("551d13", tlv(0x30, hex("0101ff")));
  const ca = certificate({ issuer, subject: issuer, publicKey: own.publicKey, signer: own.privateKey }, isAuthority);
  return {
    ca,
    certify: (...names) => {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const alternatives = names.map((name) =>
        isIP(name) === 4 ? tlv(0x87, Buffer.from(name.split(".").map(Number))) : tlv(0x82, Buffer.from(name)),
      );
      const subject = nameOf("Server of a test");
      const cert = certificate(
        { issuer, subject, publicKey, signer: own.privateKey },
        extension("551d11", tlv(0x30, ...alternatives)),
      );
      return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    },
  };
}

interface CertificateParts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
}

/** X.509, version 3, for as long as any test lasts. */
function certificate(
  { issuer, subject, publicKey, signer }: CertificateParts,
  ...extensions: readonly Buffer[]
): string {
  const algorithm = tlv(0x30, hex("06082a8648ce3d040302"));
  const [from, to] = ["200101000000Z", "491231235959Z"].map((time) => tlv(0x17, Buffer.from(time)));
  const body = tlv(
    0x30,
    tlv(0xa0, hex("020102")),
    tlv(0x02, Buffer.from([1 + Math.floor(Math.random() * 100), Date.now() % 256])),
    algorithm,
    issuer,
    tlv(0x30, from ?? hex(""), to ?? hex("")),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, tlv(0x30, ...extensions)),
  );
  const signature = createSign("sha256").update(body).sign(signer);
  const whole = tlv(0x30, body, algorithm, tlv(0x03, hex("00"), signature));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

function nameOf(text: string): Buffer {
  return tlv(0x30, tlv(0x31, tlv(0x30, hex("0603550403"), tlv(0x0c, Buffer.from(text)))));
}

function extension(id: string, value: Buffer): Buffer {
  return tlv(0x30, tlv(0x06, hex(id)), hex("0101ff"), tlv(0x04, value));
}

/** One value of the encoding: what it is, how long, and its parts. */
function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
