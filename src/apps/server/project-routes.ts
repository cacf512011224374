import { relative } from "node:path";
import { isJsonObject } from "../../core/model/json.ts";
import type { Context, Hono } from "hono";
import { readLayer, type CatalogEntry } from "../../core/catalog/layer.ts";
import { error, type Issue } from "../../core/model/issue.ts";
import {
  SaveConfigRequest,
  type ConfigResponse,
  EditableLayer,
  TrustRequest,
  type CatalogResponse,
  type EquipmentResponse,
  type ModelsResponse,
  type TestFilesResponse,
} from "../../core/wire/catalog.ts";
import { projectConfigFile, readSandboxes, userConfigFile, type ConfigContext } from "../../shell/config/config.ts";
import { listEquipmentNames } from "../../shell/agents/equipment.ts";
import { loadPi } from "../../shell/agents/pi-sdk.ts";
import { readConfigText, writeConfigText, parseJson } from "../../shell/config/config-file.ts";
import { isTrusted, rememberTrust } from "../../shell/config/trust.ts";
import { withBody, refuse, refuseByCode } from "./body-and-reply.ts";
import { type ServedProject, workspaceRoutes } from "./served-project.ts";
import type { ProjectTrust } from "../../shell/workspace/workspace.ts";
import { DRAFT_VARIABLE } from "../../shell/commands/open-ui.ts";
import { findTests } from "../../shell/testing/find-tests.ts";
import { VERSION } from "../../shell/system/package.ts";

/** [N21] The two files that the page may edit. */
export function configRoutes(app: Hono, { place }: ServedProject): void {
  const files = { user: userConfigFile(place.env), project: projectConfigFile(place.cwd) };
  for (const layer of EditableLayer.options) {
    const file = files[layer];
    app.get(`/api/config/${layer}`, (c) => sendConfig(c, layer, file));
    app.put(
      `/api/config/${layer}`,
      withBody(SaveConfigRequest, (c, { text }) => writeConfig(c, place, { layer, file, text }), 8),
    );
  }
}

function sendConfig(c: Context, layer: EditableLayer, file: string): Response {
  const found = readConfigText(file);
  if (!found.ok) return refuseByCode(c, found.issues);
  const { text, etag } = found.value;
  c.header("etag", etag);
  return c.json({ layer, file, text, etag, ...parseConfig(layer, file, text) } satisfies ConfigResponse);
}

function parseConfig(layer: EditableLayer, file: string, text: string): { value: unknown; issues: Issue[] } {
  const parsed = parseJson(file, text);
  if (!parsed.ok) return { value: null, issues: [...parsed.issues] };
  const { issues, materia, loadouts } = readLayer(layer, parsed.value, file);
  const inner = [...materia.values(), ...loadouts.values()].flatMap((entry) => entry?.issues ?? []);
  return { value: parsed.value, issues: [...issues, ...inner] };
}

function writeConfig(
  c: Context,
  place: ConfigContext,
  { layer, file, text }: { readonly layer: EditableLayer; readonly file: string; readonly text: string },
): Response {
  const parsed = parseJson(file, text);
  if (!parsed.ok) return refuse(c, 422, ...parsed.issues);
  if (!isJsonObject(parsed.value)) return refuse(c, 422, ...readLayer(layer, parsed.value, file).issues);
  const before = readConfigText(file);
  if (!before.ok && before.issues[0]?.code !== "missing_file") return refuseByCode(c, before.issues);
  const current = before.ok ? before.value.etag : undefined;
  if (!matchesEtag(c, current)) {
    if (current !== undefined) c.header("etag", current);
    const message = current === undefined ? "the file no longer exists" : "the file changed since it was read";
    return refuse(c, 412, { ...error("file_changed", "", message, "read it again and merge"), file });
  }
  const replaced = before.ok ? parseJson(file, before.value.text) : null;
  const wasTrusted = layer === "project" && (!replaced || isTrusted(place, replaced.ok ? replaced.value : null));
  const written = writeConfigText(file, text, { root: layer === "project" ? place.cwd : undefined, isNew: !before.ok });
  if (!written.ok) return refuseByCode(c, written.issues);
  // [N23] A save keeps the trust that the file had, and adds none.
  if (wasTrusted) rememberTrust(place, parsed.value);
  c.header("etag", written.value);
  const saved: ConfigResponse = { layer, file, text, etag: written.value, ...parseConfig(layer, file, text) };
  return c.json(saved, before.ok ? 200 : 201);
}

/** [N46] A save must name the version that it replaces, or that there is no file. */
function matchesEtag(c: Context, current: string | undefined): boolean {
  if (current === undefined) return c.req.header("if-none-match") === "*" && c.req.header("if-match") === undefined;
  return c.req.header("if-match") === current;
}

/** [N20] All materia and loadouts with their layers; the page checks and composes them. */
export function catalogRoutes(app: Hono, served: ServedProject): void {
  const { get, post } = workspaceRoutes(app, served);
  get("/api/catalog", (c, { catalog, configFiles, place, root, trust, fleet }) =>
    c.json({
      version: VERSION,
      cwd: place.cwd,
      root,
      fleet: fleet?.name ?? null,
      settings: catalog.settings,
      materia: [...catalog.materia.values()].map(entryJson),
      loadouts: [...catalog.loadouts.values()].map(entryJson),
      issues: [...catalog.issues],
      configFiles: [...configFiles],
      layers: { user: userConfigFile(place.env), project: projectConfigFile(place.cwd) },
      trust: trustJson(trust),
    } satisfies CatalogResponse),
  );
  // [N38] Without Pi, or without a key, there is none to suggest.
  app.get("/api/models", async (c) => {
    const models = await served
      .openReal({}, {})
      .then((host) => host.usableModels?.() ?? [])
      .catch(() => []);
    return c.json({ models: [...models] } satisfies ModelsResponse);
  });
  // [YP15] Without Pi there are sandboxes only.
  get("/api/equipment", async (c, { place }) => {
    const { cwd, withoutProject } = place;
    const found = await loadPi()
      .then((pi) => listEquipmentNames(pi, { cwd, withoutProject }))
      .catch(() => ({ skills: [], extensions: [], mcp: [] }));
    return c.json({ ...found, sandboxes: Object.keys(readSandboxes(place.env)) } satisfies EquipmentResponse);
  });
  // [W31] Read and not run. Faulty files are refused all at once; a project without tests has none.
  get("/api/tests", (c, { place: { cwd } }) => {
    const found = findTests([], { from: cwd, cwd });
    if (!found.ok && found.issues.some(({ code }) => code !== "missing_tests")) return refuse(c, 422, ...found.issues);
    const files = found.ok ? found.value.map(({ file }) => relative(cwd, file)) : [];
    return c.json({ files } satisfies TestFilesResponse);
  });
  // [YD11] The draft of the Pi session that opened this page.
  get("/api/draft", (c, { place }) => c.json(JSON.parse(place.env[DRAFT_VARIABLE] ?? "null")));
  post("/api/trust", TrustRequest, (c, { trust }, { digest }) => {
    // [N35] Trust only the shown content: a change since then must be shown again.
    const message = "the programs that would run changed since they were shown";
    if (trust.kind !== "given" && trust.digest !== digest)
      return refuse(c, 412, error("file_changed", "digest", message, "look again"));
    if (trust.kind !== "given") trust.remember();
    return c.json({ given: true } satisfies CatalogResponse["trust"]);
  });
}

function entryJson<T>({ name, layer, file, value, partial, issues }: CatalogEntry<T>) {
  const readable = partial === undefined ? {} : { partial };
  return { name, layer, file: file ?? null, value: value ?? null, ...readable, issues: [...issues] };
}

function trustJson(trust: ProjectTrust): CatalogResponse["trust"] {
  if (trust.kind === "given") return { given: true };
  const { file, commands, equipment, watched, tooLarge, digest } = trust;
  const lists = { commands: [...commands], equipment: [...equipment], watched: [...watched], tooLarge: [...tooLarge] };
  return { given: false, file, ...lists, digest };
}
