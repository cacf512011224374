import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import { plainText } from "../../../core/view/line.ts";
import { oneLine } from "../../../core/model/text.ts";
import { runImmediate, type McpProject } from "./tools.ts";

const CAST_URI = "materia://casts/";
const MAX_LISTED = 50;
const MAX_CHARS = 200_000;
const TEXT_WIDTH = 100;

/** [MC6] The newest casts as resources. */
export async function listCastResources({ open }: McpProject) {
  const workspace = open();
  const casts = workspace.ok ? await workspace.value.store.list() : workspace;
  const newest = casts.ok ? casts.value.slice(0, MAX_LISTED) : [];
  return {
    resources: newest.map(({ castId, loadout, status, request }) => ({
      uri: `${CAST_URI}${castId}`,
      name: castId,
      title: `${loadout}: ${oneLine(request, 80)}`,
      description: status,
      mimeType: "text/markdown",
    })),
  };
}

/** [MC6] The story of a cast as Markdown. */
export async function readCastResource({ open }: McpProject, uri: string) {
  const workspace = open();
  const castId = uri.startsWith(CAST_URI) ? uri.slice(CAST_URI.length) : "";
  if (!workspace.ok || castId === "") throw new ResourceNotFoundError(uri);
  const output = await runImmediate({ kind: "show", castId, markdown: true }, workspace.value);
  if (!output.ok) throw new ResourceNotFoundError(uri);
  const text = plainText(output.value.lines(TEXT_WIDTH)).slice(0, MAX_CHARS);
  return { contents: [{ uri, mimeType: "text/markdown", text }] };
}
