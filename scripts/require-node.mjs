const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `pi-materia needs Node 22.19 or newer, and this is ${process.version}.\n` +
      `On Linux "npm ci" brings Node 24 into node_modules; run things through npm scripts or npx to use it.`,
  );
  process.exit(1);
}
