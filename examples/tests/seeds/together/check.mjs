import { existsSync } from "node:fs";

// What each item makes alone is sound; both together are not.
if (existsSync("greet.txt") && existsSync("sing.txt")) {
  console.log("it cannot greet and sing at once");
  process.exitCode = 1;
}
