import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Loaded before the program: writes down, in order, what it syncs. */
const record = process.env["MATERIA_TEST_SYNCS"];
for (const name of ["fsyncSync", "fdatasyncSync"]) {
  const sync = fs[name];
  fs[name] = (fd) => {
    sync(fd);
    fs.appendFileSync(record, `${fs.readlinkSync(`/proc/self/fd/${fd}`)}\n`);
  };
}
syncBuiltinESMExports();
