import { join } from "node:path";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { configFolder, type ConfigContext } from "../config/config.ts";
import { expandVariables } from "../config/expand-variables.ts";
import type { Telemetry } from "../context/run-context.ts";
import { VERSION } from "../system/package.ts";

const TRACES_PATH = "/v1/traces";

/** [TM5] Where spans go by the user's configuration, or by the address of a command; undefined if nobody wants them. */
export function telemetryTarget(
  { telemetry }: Pick<Catalog, "telemetry">,
  env: ConfigContext["env"],
  address: string | undefined = telemetry?.otlp,
): Result<Telemetry | undefined> {
  if (address === undefined) return ok(undefined);
  const url = tracesUrl(address);
  if (url === undefined)
    return fail(error("bad_option", "--otlp", "the collector must be an address that begins with http:// or https://"));
  const headers: Record<string, string> = {};
  // Headers belong to the collector of the configuration: another address must not get its key.
  const own = address === telemetry?.otlp ? Object.entries(telemetry.headers ?? {}) : [];
  for (const [name, value] of own) {
    const expanded = expandVariables(value, `telemetry.headers.${name}`, env);
    if (!expanded.ok) return expanded;
    headers[name] = expanded.value;
  }
  const pending = join(configFolder(env), "telemetry");
  return ok({ collector: { url, headers }, contents: telemetry?.contents === true, version: VERSION, pending });
}

/** The same for a cast. A variable that is not set is no reason to refuse a cast. */
export function castTelemetry(
  catalog: Pick<Catalog, "telemetry">,
  env: ConfigContext["env"],
): { readonly telemetry: Telemetry | undefined; readonly notes: readonly string[] } {
  const target = telemetryTarget(catalog, env);
  if (target.ok) return { telemetry: target.value, notes: [] };
  return { telemetry: undefined, notes: target.issues.map(({ message }) => `no telemetry: ${message}`) };
}

/** The address for traces: a base address gets the path of the protocol. */
function tracesUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.pathname === "/") url.pathname = TRACES_PATH;
  return url.href;
}
