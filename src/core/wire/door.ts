import * as v from "valibot";

/** [N34] What a browser is given once, with the token, to get in again later. */
export const LoginKey = v.object({ key: v.string() });
export type LoginKey = v.InferOutput<typeof LoginKey>;

/** New with every start of the server. */
export const LoginChallenge = v.object({ challenge: v.string() });
export type LoginChallenge = v.InferOutput<typeof LoginChallenge>;

export const LoginProof = v.strictObject({ proof: v.pipe(v.string(), v.maxLength(100)) });

export const LoginToken = v.object({ token: v.string() });
export type LoginToken = v.InferOutput<typeof LoginToken>;

/** What is signed. By the address and never by a name: a name may lead to another address of this machine, and to who listens there. */
export function loginMessage(port: number, challenge: string): string {
  return `pi-materia ui\n127.0.0.1:${port}\n${challenge}`;
}
