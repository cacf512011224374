import { suggest, typed, error } from "../../core/model/issue.ts";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Hono } from "hono";
import {
  loginMessage,
  LoginProof,
  type LoginChallenge,
  type LoginKey,
  type LoginToken,
} from "../../core/wire/response.ts";
import { requireJsonBody, parseBody, refuse } from "./body-and-reply.ts";
import type { ServedProject } from "./served-project.ts";

/**
 * [N34, N39] A browser that was here once gets in again without the address: it proves to have the key that it was given then.
 * The key itself never travels this way, and what is proven names this very port and this very start of the server, so that
 * a program that got hold of the port meanwhile learns nothing that opens anything.
 */
export function loginRoutes(app: Hono, { loginKey: doorKey, token, port }: ServedProject): void {
  const challenge = randomBytes(32).toString("base64url");
  app.get("/api/key", (c) => {
    // Under a name the page may one day come from another address of this machine, and the key would be there for it.
    if (doorKey === null || c.req.header("host") !== `127.0.0.1:${port()}`)
      return refuse(c, 404, error("not_found", "", "there is no key to keep for this address"));
    return c.json({ key: doorKey } satisfies LoginKey);
  });
  app.get("/door", (c) => c.json({ challenge } satisfies LoginChallenge));
  app.post("/door", requireJsonBody(1), (c) => {
    const body = parseBody(c, LoginProof);
    if (!body.ok) return refuse(c, 400, ...body.issues);
    if (doorKey === null || !isValidProof(body.value.proof, doorKey, loginMessage(port(), challenge)))
      return refuse(
        c,
        401,
        error(
          "invalid_token",
          "proof",
          "this browser is not known here",
          suggest`open the address that ${typed`ui`} prints`,
        ),
      );
    return c.json({ token } satisfies LoginToken);
  });
}

function isValidProof(given: string, key: string, text: string): boolean {
  const expected = createHmac("sha256", Buffer.from(key, "base64url")).update(text).digest();
  const proof = Buffer.from(given, "base64url");
  return proof.length === expected.length && timingSafeEqual(proof, expected);
}
