const STORE_NAME = "door";
const KEY_NAME = "key";

/** The key of this browser for this address, where it was given one. */
export async function readBrowserKey(): Promise<CryptoKey | null> {
  const found: unknown = await withKeyStore("readonly", (place) => place.get(KEY_NAME));
  return found instanceof CryptoKey ? found : null;
}

export async function storeBrowserKey(key: CryptoKey): Promise<void> {
  await withKeyStore("readwrite", (place) => place.put(key, KEY_NAME));
}

async function withKeyStore<T>(mode: IDBTransactionMode, act: (place: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open("materia", 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE_NAME));
  const base = await requestResult(opening);
  try {
    return await requestResult(act(base.transaction(STORE_NAME, mode).objectStore(STORE_NAME)));
  } finally {
    base.close();
  }
}

function requestResult<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("the browser keeps nothing")));
  });
}
