/** Loaded before a program: at its end it writes its processor time in microseconds, all threads together. */
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`cpu ${user + system}\n`);
});
