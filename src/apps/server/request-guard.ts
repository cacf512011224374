import { suggest, typed, error } from "../../core/model/issue.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { refuse } from "./body-and-reply.ts";

/**
 * [N2, N3] Another site may reach this port through a host name that it controls, a form or a script.
 * Its host name, or the origin that the browser adds, reveals it.
 */
export function requireOwnOrigin(port: () => number): MiddlewareHandler {
  return async (c, next) => {
    const hosts = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port()}`);
    const host = c.req.header("host");
    const asked = URL.parse(c.req.url)?.host;
    if (host === undefined || !hosts.includes(host) || asked === undefined || !hosts.includes(asked))
      return refuse(c, 421, error("wrong_host", "Host", "the host name must be the local address of this server"));
    const origin = c.req.header("origin");
    if (origin !== undefined && origin !== `http://${host}`)
      return refuse(c, 403, error("wrong_origin", "Origin", "only pages of this server may send requests"));
    const site = c.req.header("sec-fetch-site");
    if (site !== undefined && !isOwnSite(site, c))
      return refuse(c, 403, error("wrong_site", "Sec-Fetch-Site", "only pages of this server may send requests"));
    return next();
  };
}

/** Another site may link to the page itself: it contains no data. */
function isOwnSite(site: string, c: Context): boolean {
  if (site === "same-origin" || site === "none") return true;
  return !isApiPath(c.req.path) && c.req.header("sec-fetch-mode") === "navigate";
}

function isApiPath(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/** [N8] Routes must never see invalid percent-encoding. */
export const rejectMalformedUrls: MiddlewareHandler = async (c, next) => {
  try {
    const path = decodeURIComponent(URL.parse(c.req.url)?.pathname ?? "%");
    if (!path.includes("\0")) return next();
  } catch {
    // Refused below.
  }
  return refuse(c, 400, error("bad_url", "", "invalid percent-encoding in the URL"));
};

/** [N1] */
export function requireToken(token: string): MiddlewareHandler {
  const expected = digest(`Bearer ${token}`);
  return async (c, next) => {
    // Digests have one length, so the comparison takes the same time for every token.
    if (timingSafeEqual(digest(c.req.header("authorization") ?? ""), expected)) return next();
    c.header("www-authenticate", "Bearer");
    return refuse(
      c,
      401,
      error(
        "invalid_token",
        "Authorization",
        "the token is missing or wrong",
        suggest`open the address that ${typed`ui`} prints`,
      ),
    );
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // React and the canvas set style properties of elements; style sheets in the page stay forbidden.
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

/** [N7] On every response, refusals included. */
export const setSecurityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.res.headers.set(name, value);
  if (isApiPath(c.req.path) || c.req.path === "/door") c.res.headers.set("cache-control", "no-store");
};
