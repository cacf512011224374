const PLACE = "door";
const NAME = "key";

/** The key of this browser for this address, where it was given one. */
export async function keptKey(): Promise<CryptoKey | null> {
  const found: unknown = await inPlace("readonly", (place) => place.get(NAME));
  return found instanceof CryptoKey ? found : null;
}

export async function keepKey(key: CryptoKey): Promise<void> {
  await inPlace("readwrite", (place) => place.put(key, NAME));
}

async function inPlace<T>(mode: IDBTransactionMode, act: (place: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open("materia", 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(PLACE));
  const base = await done(opening);
  try {
    return await done(act(base.transaction(PLACE, mode).objectStore(PLACE)));
  } finally {
    base.close();
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("the browser keeps nothing")));
  });
}
