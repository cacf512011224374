import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A command as a script of `package.json` has it. */
export interface Task {
  readonly name: string;
  readonly command: string;
}

interface TaskResult {
  readonly name: string;
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

/**
 * Runs all tasks, as many at once as there are cores. Prints each output when its task ends, so that outputs do not mix.
 * A failed task does not stop the others. Returns the names of the failed ones.
 */
export async function runAtOnce(tasks: readonly Task[]): Promise<readonly string[]> {
  const pending = [...tasks];
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let task = pending.shift(); task; task = pending.shift()) {
      const result = await runTask(task);
      report(result);
      if (result.code !== 0) failed.push(result.name);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return failed;
}

function runTask({ name, command }: Task): Promise<TaskResult> {
  const began = performance.now();
  const child = spawn(command, { shell: true, cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    const end = (code: number): void => {
      const output = Buffer.concat(chunks).toString().trim();
      resolve({ name, code, output, seconds: (performance.now() - began) / 1000 });
    };
    child.on("error", (error) => {
      chunks.push(Buffer.from(error.message));
      end(1);
    });
    child.on("close", (code) => end(code ?? 1));
  });
}

function report({ name, code, output, seconds }: TaskResult): void {
  console.log(`${code === 0 ? "ok" : "FAILED"} ${name} (${seconds.toFixed(1)} s)`);
  if (code !== 0 && output !== "") console.log(output);
}
