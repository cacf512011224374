import { hash } from "node:crypto";
import { join } from "node:path";
import type { Catalog } from "../../core/catalog/catalog.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { configFolder, expandVariables, type ConfigContext } from "../config/config.ts";
import { NOTICE_KINDS, type NoticeTarget } from "../../core/model/config.ts";
import type { NoticeReceiver, Telemetry } from "../context/run-context.ts";
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
export function castTelemetry(catalog: Pick<Catalog, "telemetry" | "receivers">, env: ConfigContext["env"]) {
  const target = telemetryTarget(catalog, env);
  const receivers = (catalog.receivers ?? []).map((each, at) => noticeReceiverOf(each, `notify[${at}]`, env));
  return {
    telemetry: target.ok ? target.value : undefined,
    notify: receivers.flatMap((each) => (each.ok ? [each.value] : [])),
    notes: [
      ...(target.ok ? [] : target.issues.map(({ message }) => `no telemetry: ${message}`)),
      ...receivers.flatMap((each) => (each.ok ? [] : each.issues.map(({ message }) => `not notified: ${message}`))),
    ],
  };
}

/** [YN1] Its folder depends on what is written: a secret that is renewed loses nothing. */
function noticeReceiverOf(target: NoticeTarget, at: string, env: ConfigContext["env"]): Result<NoticeReceiver> {
  const { on = NOTICE_KINDS, format = "webhook", contents = false } = target;
  const url = expandVariables(target.url, `${at}.url`, env);
  if (!url.ok) return url;
  if (!/^https?:\/\/[^\s/]/.test(url.value))
    return fail(error("bad_value", `${at}.url`, `${at}.url is no address that begins with http:// or https://`));
  const secret = target.secret === undefined ? ok(undefined) : expandVariables(target.secret, `${at}.secret`, env);
  if (!secret.ok) return secret;
  const pending = join(configFolder(env), "notify", hash("sha256", `${target.url}\0${format}`).slice(0, 16));
  return ok({ url: url.value, on: [...on], format, contents, secret: secret.value, pending });
}

/** The address for traces: a base address gets the path of the protocol. */
function tracesUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.pathname === "/") url.pathname = TRACES_PATH;
  return url.href;
}
