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
 * [N34, N39] A known browser logs in without the token: it proves that it has the key from its first visit.
 * The key is never sent. The proof is bound to this port and this start of the server, so another program on the port
 * cannot use it.
 */
export function loginRoutes(app: Hono, { loginKey, token, port }: ServedProject): void {
  const challenge = randomBytes(32).toString("base64url");
  app.get("/api/key", (c) => {
    // A name such as localhost may later resolve to another server, which could then use the key.
    if (loginKey === null || c.req.header("host") !== `127.0.0.1:${port()}`)
      return refuse(c, 404, error("not_found", "", "this address has no key"));
    return c.json({ key: loginKey } satisfies LoginKey);
  });
  app.get("/door", (c) => c.json({ challenge } satisfies LoginChallenge));
  app.post("/door", requireJsonBody(1), (c) => {
    const body = parseBody(c, LoginProof);
    if (!body.ok) return refuse(c, 400, ...body.issues);
    if (loginKey === null || !isValidProof(body.value.proof, loginKey, loginMessage(port(), challenge)))
      return refuse(
        c,
        401,
        error("invalid_token", "proof", "unknown browser", suggest`open the address that ${typed`ui`} prints`),
      );
    return c.json({ token } satisfies LoginToken);
  });
}

function isValidProof(given: string, key: string, text: string): boolean {
  const expected = createHmac("sha256", Buffer.from(key, "base64url")).update(text).digest();
  const proof = Buffer.from(given, "base64url");
  return proof.length === expected.length && timingSafeEqual(proof, expected);
}
