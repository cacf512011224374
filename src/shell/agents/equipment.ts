import type { ResourceDiagnostic, Skill } from "@earendil-works/pi-coding-agent";
import { createHash, hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { error, type Issue } from "../../core/model/issue.ts";
import { didYouMean, thrownMessage } from "../../core/model/text.ts";
import type { AgentRequirement, EquipmentDigest, PreflightPlace } from "../ports.ts";
import { sortKeys } from "../config/config-file.ts";
import { isNamedByProject } from "../config/trust.ts";
import { currentToolsUser } from "../process/tools-user.ts";
import { describeMissingMcp, describeUnusableServer, readMcpServers, type McpServer } from "./mcp-servers.ts";
import type { Pi } from "./pi-sdk.ts";
import { extensionName, isIndex } from "./extension-files.ts";

interface PiInventory {
  readonly skills: readonly Skill[];
  /** Skills that Pi leaves out: without a description, or with the name of another. */
  readonly problems: readonly ResourceDiagnostic[];
  readonly projectSkills: ReadonlySet<string>;
  readonly extensions: ReadonlyMap<string, FoundExtension>;
}

interface FoundExtension {
  readonly file: string;
  readonly isOfProject: boolean;
}

const MAX_FILES = 500;
const MAX_BYTES = 4_000_000;

/** [YP3, YP6] Finds and reads every part of Pi that a materia names, or says which names exist. */
export async function resolveEquipment(
  pi: Pi,
  { materia, tools, skills = [], extensions = [], mcp = [], packed }: Omit<AgentRequirement, "socket" | "model">,
  place: PreflightPlace,
) {
  const unread = `${materia} has skills and cannot read them`;
  const mayRead = skills.length === 0 || tools.includes("read") || tools.includes("bash");
  const found = skills.length + extensions.length === 0 ? NOTHING : await findInventory(pi, place);
  const parts = [
    ...(mayRead ? [] : [unusable("skill", unread, 'give it the tool "read" or "bash"')]),
    ...skills.map((name) => findPackedSkill(pi, packed, name) ?? findSkill(found, name)),
    ...extensions.map((name) => findExtension(found, name, place)),
    ...(mcp.length === 0 ? [] : findServers(pi, mcp, place)),
  ];
  return {
    skills: parts.flatMap(({ skill }) => skill ?? []),
    extensionFiles: parts.flatMap(({ file }) => file ?? []),
    servers: parts.flatMap(({ server }) => server ?? []),
    digests: parts.flatMap(({ digest }) => digest ?? []),
    issues: parts.flatMap(({ kind, refused }): readonly Issue[] => {
      if (!refused) return [];
      const [code, text, hint] = refused;
      return [error(code, ["materia", materia, FIELDS[kind]], text, hint)];
    }),
  };
}

const NOTHING: PiInventory = { skills: [], problems: [], projectSkills: new Set(), extensions: new Map() };
const FIELDS = { skill: "skills", extension: "extensions", server: "mcp" } as const;

type EquipmentCode = "unknown_server" | "unknown_skill" | "unknown_extension" | "unusable_equipment";

/** [YP15] The names that a materia may list. */
export async function listEquipmentNames(pi: Pi, place: PreflightPlace) {
  const { skills, extensions } = await findInventory(pi, place);
  const servers = describeMissingMcp(pi) === undefined ? readMcpServers(pi.getAgentDir(), place) : new Map();
  return {
    skills: skills.map(({ name }) => name),
    extensions: [...extensions.keys()],
    mcp: [...servers.keys()].map(String),
  };
}

interface EquipmentPart {
  readonly kind: EquipmentDigest["kind"];
  readonly skill?: Skill;
  readonly file?: string;
  readonly server?: McpServer;
  readonly digest?: EquipmentDigest;
  readonly refused?: readonly [EquipmentCode, string, string];
}

function findSkill({ skills, problems, projectSkills }: PiInventory, name: string): EquipmentPart {
  const kind = "skill";
  const skill = skills.find((each) => each.name === name);
  if (!skill) {
    // Pi leaves out a skill without a description, for example.
    const left = problems.find(({ path = "" }) => [basename(dirname(path)), basename(path, ".md")].includes(name));
    if (left) return unusable(kind, `Pi leaves out the skill "${name}": ${left.message}`, `look at ${left.path}`);
    const names = skills.map((each) => each.name);
    return unknown(kind, `Pi finds no skill "${name}"`, name, names);
  }
  const twice = problems.find(({ collision }) => collision?.name === name)?.collision;
  if (twice)
    return unusable(kind, `Pi finds several skills "${name}"`, `rename ${twice.loserPath} or ${skill.filePath}`);
  const isOfProject = projectSkills.has(skill.filePath);
  // The prompt names this skill, also when Pi itself would load it only on request.
  return {
    skill: { ...skill, disableModelInvocation: false },
    ...readPart({ kind, name, isOfProject }, skillPath(skill)),
  };
}

export function skillPath({ filePath, baseDir }: Skill): string {
  return basename(filePath) === "SKILL.md" ? baseDir : filePath;
}

/** [YP18] A skill of the submitter, as it was when the cast was submitted. */
function findPackedSkill(pi: Pi, packed: AgentRequirement["packed"], name: string): EquipmentPart | undefined {
  const wanted = packed?.digests.get(name);
  if (!packed || wanted === undefined) return undefined;
  const cwd = join(packed.folder, name);
  const found = pi.loadSkills({ cwd, agentDir: cwd, skillPaths: [cwd], includeDefaults: false });
  const part = findSkill({ ...NOTHING, skills: found.skills }, name);
  if (part.digest?.digest === wanted) return part;
  return unusable("skill", `the skill "${name}" did not arrive as it was submitted`, "submit the cast again");
}

function findExtension({ extensions }: PiInventory, name: string, { cwd }: PreflightPlace): EquipmentPart {
  const kind = "extension";
  const found = extensions.get(name);
  if (found === undefined) return unknown(kind, `Pi finds no extension "${name}"`, name, [...extensions.keys()]);
  const { file, isOfProject } = found;
  const refused = refusePart(cwd, isOfProject, kind, name);
  if (refused) return refused;
  return { file, ...readPart({ kind, name, isOfProject }, isIndex(file) ? dirname(file) : file) };
}

/** [YP11, YP12] The servers of Pi's configuration. Reading it starts none. */
function findServers(pi: Pi, names: readonly string[], place: PreflightPlace): readonly EquipmentPart[] {
  const refuseAll = (text: string, hint: string) => names.map(() => unusable("server", text, hint));
  const missing = describeMissingMcp(pi);
  if (missing !== undefined)
    return refuseAll(missing, "install a newer Pi; a rehearsal plays servers with any version");
  try {
    const servers = readMcpServers(pi.getAgentDir(), place);
    return names.map((name) => findServer(servers, name, place));
  } catch (thrown) {
    return refuseAll(thrownMessage(thrown), "fix it, or see what `pi mcp list` says");
  }
}

function findServer(servers: ReadonlyMap<string, McpServer>, name: string, { cwd }: PreflightPlace): EquipmentPart {
  const kind = "server";
  const server = servers.get(name);
  if (!server) return unknown(kind, `Pi's configuration has no server "${name}"`, name, [...servers.keys()]);
  const isOfProject = server.scope === "project";
  const refused = refusePart(cwd, isOfProject, kind, name);
  if (refused) return refused;
  const problem = describeUnusableServer(server);
  if (problem !== undefined) return unusable(kind, `the server "${name}" cannot be used: ${problem}`, "fix its entry");
  const digest = hash("sha256", JSON.stringify(sortKeys(server.config)));
  return { kind, server, digest: { kind, name, digest, ...(isOfProject ? { ofProject: true } : {}) } };
}

function unusable(kind: EquipmentPart["kind"], text: string, hint: string): EquipmentPart {
  return { kind, refused: ["unusable_equipment", text, hint] };
}

/** [YP14] Nothing of a project runs that its trusted configuration does not name, and nothing with rights that agents must not have. */
function refusePart(cwd: string, isOfProject: boolean, kind: "extension" | "server", name: string) {
  if (isOfProject && !isNamedByProject(cwd, FIELDS[kind], name)) {
    const text = `the ${kind} "${name}" belongs to the project, whose configuration does not name it`;
    return unusable(kind, text, "name it in a materia of .pi/pi-materia.json, which asks for trust");
  }
  const user = currentToolsUser();
  if (!user) return undefined;
  const text = `the ${kind} "${name}" would not run as ${user.name}, as all tools here do`;
  return unusable(kind, text, "cast it on a worker without --tools-user");
}

function readPart(
  { kind, name, isOfProject }: Pick<EquipmentDigest, "kind" | "name"> & { readonly isOfProject: boolean },
  path: string,
): EquipmentPart {
  try {
    return { kind, digest: { kind, name, digest: digestOf(path), ...(isOfProject ? { ofProject: true } : {}) } };
  } catch (thrown) {
    return unusable(kind, `the ${kind} "${name}" cannot be used: ${thrownMessage(thrown)}`, `look at ${path}`);
  }
}

function unknown(kind: EquipmentPart["kind"], text: string, name: string, known: readonly string[]): EquipmentPart {
  const hint = didYouMean(name, known) ?? (known.length === 0 ? "there are none" : `there are ${known.join(", ")}`);
  return { kind, refused: [`unknown_${kind}`, `${text} for this folder`, hint] };
}

async function findInventory(pi: Pi, { cwd, withoutProject }: PreflightPlace): Promise<PiInventory> {
  const agentDir = pi.getAgentDir();
  const settingsManager = pi.SettingsManager.create(cwd, agentDir, { projectTrusted: withoutProject !== true });
  // [YP17] A project must not name the program that is asked where packages are.
  settingsManager.getNpmCommand = () => settingsManager.getGlobalSettings().npmCommand;
  const manager = new pi.DefaultPackageManager({ cwd, agentDir, settingsManager });
  // A package that is not installed is not fetched for a cast.
  const found = await manager.resolve(async () => "skip");
  const mayUse = ({ enabled, metadata }: (typeof found.skills)[number]): boolean =>
    enabled && !(withoutProject === true && metadata.scope === "project");
  const skillPaths = found.skills.filter(mayUse).map(({ path }) => path);
  const { skills, diagnostics } = pi.loadSkills({ cwd, agentDir, skillPaths, includeDefaults: false });
  const extensions = found.extensions
    .filter(mayUse)
    .map(({ path, metadata }): [string, FoundExtension] => [
      metadata.origin === "package" ? packageName(metadata.source) : extensionName(path),
      { file: path, isOfProject: metadata.scope === "project" },
    ]);
  const isOfProject = (path: string): boolean =>
    found.skills.some(({ path: at, metadata }) => metadata.scope === "project" && path.startsWith(at));
  const projectSkills = new Set(skills.map(({ filePath }) => filePath).filter(isOfProject));
  return { skills, problems: diagnostics, projectSkills, extensions: new Map(extensions.toReversed()) };
}

function packageName(source: string): string {
  const name = source.replace(/^npm:/, "").replace(/(?<=.)@[^/@]*$/, "");
  return source.startsWith("npm:") ? name : basename(name, ".git");
}

/** [YP4] A digest of a file, or of all files of a folder. */
function digestOf(path: string): string {
  const digest = createHash("sha256");
  for (const [shown, body] of readPartFiles(path)) digest.update(`${shown}\0`).update(body).update("\0");
  return digest.digest("hex");
}

/** A file, or all files of a folder, by their paths from its parent. A link could lead to a file that changes unnoticed. */
export function readPartFiles(path: string): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  const visit = (at: string, shown: string): void => {
    const stats = lstatSync(at);
    if (stats.isSymbolicLink()) throw new Error(`${shown} is a link, whose target may change unnoticed`);
    if (stats.isDirectory()) {
      const names = readdirSync(at)
        .toSorted()
        .filter((name) => name !== "node_modules" && name !== ".git");
      return names.forEach((name) => visit(join(at, name), join(shown, name)));
    }
    bytes += stats.size;
    if (files.size >= MAX_FILES || bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_FILES} files or 4 MB`);
    files.set(shown, readFileSync(at));
  };
  visit(path, basename(path));
  return files;
}
