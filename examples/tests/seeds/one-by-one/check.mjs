import { existsSync, readFileSync } from "node:fs";

if (existsSync("broken.txt")) {
  console.log(readFileSync("broken.txt", "utf8"));
  process.exitCode = 1;
}
