/** Plan, then for each item Build and Judge, who sends it back at most once: the loadout "Main". */
export function judgedItems(
  more: {
    readonly build?: string;
    readonly materia?: Readonly<Record<string, object>>;
    readonly main?: object;
    readonly loadouts?: object;
  } = {},
) {
  const { build = "Build", materia = {}, main = {}, loadouts = {} } = more;
  return {
    activeLoadout: "Main",
    materia: {
      Plan: { prompt: "Plan.", generator: true },
      [build]: { prompt: `${build}.` },
      Judge: { prompt: "Judge.", parse: "json" },
      ...materia,
    },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { materia: build, edges: [{ when: "always", to: "Socket-3" }] },
          "Socket-3": {
            materia: "Judge",
            advance: { when: "satisfied" },
            edges: [
              { when: "not_satisfied", to: "Socket-2", maxTraversals: 1 },
              { when: "satisfied", to: "Socket-2" },
            ],
          },
        },
        loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
        ...main,
      },
      ...loadouts,
    },
  };
}
