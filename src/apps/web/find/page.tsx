import { useEffect, useState, type ReactElement } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import type { SearchHit, SearchEnd } from "../../../core/wire/stream.ts";
import { hrefOf, replaceSearchParams, type PageProps } from "../browser/route.ts";
import { searchCastTexts } from "../net/follow.ts";
import { Icon } from "../ui/icons.tsx";
import { IssueList } from "../ui/issues.tsx";
import { bindSheets } from "../ui/classes.ts";
import findSheet from "./find.module.css";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(findSheet);

/** [W37] Full-text search: `#/find?q=…`, in one cast with `&cast=<id>`. */
export default function FindPage({ search }: PageProps): ReactElement {
  const castId = search.get("cast");
  const [text, setText] = useState(search.get("q") ?? "");
  const { found, over, issues } = useTextSearch(text.trim(), castId);
  return (
    <section className={css("view")} aria-label="Find">
      <div className={css("page-head")}>
        <h1>Find</h1>
        <label className={css("field grow find-field")}>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Words of an output, a prompt or a tool call"
            aria-label="Search in outputs, prompts and tool calls"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              replaceSearchParams({ q: event.target.value });
            }}
          />
          <kbd>/</kbd>
        </label>
        <span className={css("secondary")}>
          {castId === null ? "in all casts" : "in "}
          {castId !== null && (
            <a href={hrefOf("casts", castId)}>
              <code>{castId}</code>
            </a>
          )}
        </span>
        {castId !== null && <a href={hrefOf("find", undefined, { q: text })}>Search all casts</a>}
      </div>
      <p className={css("find-state secondary")} role="status">
        {searchStateText(text.trim(), found.length, over)}
      </p>
      <IssueList issues={issues} />
      <ul className={css("found-list")} aria-label="Found">
        {found.map((each) => (
          <FoundRow key={`${each.castId} ${each.socket} ${each.visit} ${each.in}`} found={each} />
        ))}
      </ul>
    </section>
  );
}

const MIN_LETTERS = 2;
const DEBOUNCE_MS = 300;

function useTextSearch(needle: string, castId: string | null) {
  const [found, setFound] = useState<readonly SearchHit[]>([]);
  const [over, setOver] = useState<SearchEnd | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  useEffect(() => {
    setFound([]);
    setOver(null);
    setIssues([]);
    if (needle.length < MIN_LETTERS) return undefined;
    let stop = (): void => undefined;
    const timer = setTimeout(() => {
      stop = searchCastTexts(
        { needle, castId },
        {
          found: (each) => setFound((before) => [...before, each]),
          over: setOver,
          onIssue: (issue) => setIssues((before) => [...before, issue]),
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [needle, castId]);
  return { found, over, issues };
}

function searchStateText(needle: string, found: number, over: SearchEnd | null): string {
  if (needle.length < MIN_LETTERS) return "Type at least two letters.";
  if (!over) return found === 0 ? "Searching…" : `${countedText(found, "place")} so far, searching…`;
  const looked = `in ${countedText(over.casts, "cast")}`;
  if (found === 0)
    return over.isCut ? `Nothing found ${looked}; older casts were not searched.` : `Nothing found ${looked}.`;
  return `${countedText(found, "place")} ${looked}${over.isCut ? "; there may be more" : ""}.`;
}

const SOURCE_LABELS = { output: "Output", prompt: "Prompt", tools: "Tools", handoff: "Handoff" } as const;

function FoundRow({ found }: { readonly found: SearchHit }): ReactElement {
  const { castId, request, socket, visit, materia, before, match, after } = found;
  const href = hrefOf("casts", castId, { visit: `${socket}#${visit}`, tab: found.in, found: match });
  return (
    <li className={css("found")}>
      <a href={href}>{`${materia} ${socket} · visit ${visit}`}</a>
      <span className={css("badge")}>{SOURCE_LABELS[found.in]}</span>
      <span className={css("faint cut")}>{request}</span>
      <p className={css("found-words")}>
        {before}
        <mark>{match}</mark>
        {after}
      </p>
    </li>
  );
}
