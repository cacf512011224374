/** Describes a system error in plain words, with its code. */
export function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
  const words = code === undefined ? undefined : TEXT_BY_CODE[code];
  return words === undefined ? thrown.message : `${words} (${code})`;
}

export function isMissingFile(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR");
}

export function hasErrorCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}

/** Whether the storage itself fails. */
export function isDiskError(thrown: unknown): boolean {
  return (
    thrown instanceof Error && "code" in thrown && /^(ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE)$/.test(String(thrown.code))
  );
}

const TEXT_BY_CODE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission is denied",
  EPERM: "the system does not permit it",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of the path is a file, not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ELOOP: "its links lead in a circle",
  ENOTREGULAR: "it is not a regular file",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  EEXIST: "it exists already",
  EADDRINUSE: "the port is in use",
};
