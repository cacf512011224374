/** What `runInit` writes: the smallest configuration that shows a role, a check and a bounded way back. */
export const STARTER_CONFIG = `{
  // Repeatable agent work for this project. Comments and trailing commas are fine.
  "$schema": "https://unpkg.com/pi-materia/schema/pi-materia.schema.json",

  // What "materia cast <prompt>" runs. "materia loadout" lists all there are.
  "activeLoadout": "Fix-And-Review",

  // A materia is a reusable role. The bundled ones can be used beside your own: "materia materia" lists them.
  "materia": {
    "Reviewer": {
      "description": "Reads the change and says whether it may stay.",
      "tools": "readOnly",
      "parse": "json",
      "prompt": "You review a change that somebody else has just made. Read the files concerned. Be satisfied only when the change does what was asked and nothing else.",
    },
  },

  // A loadout is a graph: sockets that each hold one materia, and edges that are tried in order.
  "loadouts": {
    "Fix-And-Review": {
      "entry": "Socket-1",
      "sockets": {
        "Socket-1": {
          "materia": "Build", // bundled
          "edges": [{ "when": "always", "to": "Socket-2" }],
        },
        "Socket-2": {
          "materia": "Reviewer",
          "edges": [
            // Back to Build with the reviewer's reason, at most twice.
            { "when": "not_satisfied", "to": "Socket-1", "maxTraversals": 2 },
            { "when": "satisfied", "to": "end" },
          ],
        },
      },
    },
  },
}
`;
