// Loaded before `materia` itself: a clock that is wrong or jumps, and a disk that is full from some write on or for a while.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** A file that says how wrong the clock is now. */
const clock = process.env["CHAOS_CLOCK"];
const skewMs = Number(process.env["CHAOS_SKEW_MS"] ?? 0);
const skew = () => (clock === undefined ? skewMs : Number(fs.readFileSync(clock, "utf8")));
if (skewMs !== 0 || clock !== undefined) {
  const real = Date.now.bind(Date);
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(real() + skew());
      else super(...args);
    }
    static now() {
      return real() + skew();
    }
  };
}

let room = Number(process.env["CHAOS_WRITES"] ?? Infinity);
/** The disk is full while there is a file of this name. */
const fullWhile = process.env["CHAOS_FULL_WHILE"];
const { existsSync } = fs;

function take() {
  room -= 1;
  if (room < 0 || (fullWhile !== undefined && existsSync(fullWhile)))
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", errno: -28 });
}

if (Number.isFinite(room) || fullWhile !== undefined) {
  for (const name of ["writeSync", "writeFileSync", "appendFileSync", "mkdirSync"]) {
    const real = fs[name];
    fs[name] = (...args) => {
      // Standard output is no disk.
      if (args[0] !== 1 && args[0] !== 2) take();
      return real(...args);
    };
  }
  for (const name of ["writeFile", "appendFile", "mkdir"]) {
    const real = fs.promises[name];
    fs.promises[name] = async (...args) => {
      take();
      return real(...args);
    };
  }
  syncBuiltinESMExports();
}
