// Runs before every test file.
import { runAfterFile } from "./harness/after-file.ts";

runAfterFile();
