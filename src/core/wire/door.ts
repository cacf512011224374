import * as v from "valibot";

/** [N34] What a browser is given once, with the token, to get in again later. */
export const DoorKey = v.object({ key: v.string() });
export type DoorKey = v.InferOutput<typeof DoorKey>;

/** New with every start of the server. */
export const DoorChallenge = v.object({ challenge: v.string() });
export type DoorChallenge = v.InferOutput<typeof DoorChallenge>;

export const DoorProof = v.strictObject({ proof: v.pipe(v.string(), v.maxLength(100)) });

export const DoorToken = v.object({ token: v.string() });
export type DoorToken = v.InferOutput<typeof DoorToken>;

/** What is signed. By the address and never by a name: a name may lead to another address of this machine, and to who listens there. */
export function doorText(port: number, challenge: string): string {
  return `pi-materia ui\n127.0.0.1:${port}\n${challenge}`;
}
