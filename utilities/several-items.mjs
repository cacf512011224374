import { readInput, refuse } from "./lib/utility.mjs";

// A gate: its exit code is the answer.
try {
  const { state = {} } = await readInput();
  if (!Array.isArray(state.workItems)) refuse("state.workItems is not a list", "place Several-Items after a generator");
  const count = state.workItems.length;
  // A no is handed on: it tells the agent of a single item what the steps left out would have done.
  const alone = "No step has refined this single item: settle yourself what it leaves open.";
  console.log(count === 1 ? alone : `The plan has ${count} items.`);
  process.exitCode = count > 1 ? 0 : 1;
} catch (error) {
  console.error(`Several-Items: ${error.message}`);
  process.exitCode = 1;
}
