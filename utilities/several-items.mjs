import { readInput, refuse } from "./lib/utility.mjs";

// A gate: its exit code is the answer.
try {
  const { state = {} } = await readInput();
  if (!Array.isArray(state.workItems)) refuse("state.workItems is not a list", "place Several-Items after a generator");
  const count = state.workItems.length;
  console.log(`The plan has ${count === 1 ? "1 item" : `${count} items`}.`);
  process.exitCode = count > 1 ? 0 : 1;
} catch (error) {
  console.error(`Several-Items: ${error.message}`);
  process.exitCode = 1;
}
