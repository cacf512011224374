import { useId, useMemo, type ReactElement, useRef, type KeyboardEvent } from "react";
import type { FileChange } from "../../../core/model/checkpoint.ts";
import { checkpointAuthors } from "../../../core/view/file-changes.ts";
import {
  parsePatch,
  type FilePatch,
  patchRows,
  type PatchViewMode,
  showHiddenCharacters,
} from "../../../core/view/patch.ts";
import type { PatchResponse } from "../../../core/wire/casts.ts";
import { getPatch } from "../net/api.ts";
import { Button } from "../ui/buttons.tsx";
import { IssueList } from "../ui/issues.tsx";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { PatchRows } from "./patch-rows.tsx";
import { bindSheets } from "../ui/classes.ts";
import filesSheet from "./files.module.css";
import type { Issue } from "../../../core/model/issue.ts";
import { useFetched } from "../data/use-fetched.ts";

const css = bindSheets(filesSheet);

interface FilePatchProps extends CastPanelProps {
  readonly file: FileChange;
  readonly place: string | null;
  /** The checkpoint of the shown patch: a running visit makes later ones. */
  readonly to: string;
  readonly form: PatchViewMode;
  readonly onVisit: (index: number) => void;
}

export function FilePatchView(props: FilePatchProps): ReactElement {
  const { cast, file, place, to, form } = props;
  const { castId } = cast.castFile;
  const { path, from } = file;
  const of = `${castId} ${place ?? ""} ${path}`;
  const asked = useFetched(`${of} ${to}`, of, (signal) => getPatch(castId, { place, path }, signal));
  return (
    <section className={css("patch")} aria-label={`Diff of ${showHiddenCharacters(path)}`}>
      <div className={css("patch-head")}>
        <code className={css("breakable")}>
          {from !== undefined && `${showHiddenCharacters(from)} → `}
          {showHiddenCharacters(path)}
        </code>
        <LineCounts file={file} />
      </div>
      {asked.kind === "loaded" && <FileHistory {...props} answer={asked.value} />}
      {asked.kind === "loaded" && <PatchBody answer={asked.value} form={form} />}
      {asked.kind === "refused" && <RefusedNote {...asked} />}
    </section>
  );
}

function PatchBody({ answer, form }: { readonly answer: PatchResponse; readonly form: PatchViewMode }): ReactElement {
  const parts = useMemo(() => parsePatch(answer.patch), [answer]);
  const rows = useMemo(() => parts.flatMap((part) => patchRows(part, form)), [parts, form]);
  const notes = parts.flatMap(patchNotes);
  return (
    <>
      {notes.length > 0 && <p className={css("secondary patch-notes")}>{notes.join(" · ")}</p>}
      {rows.length > 0 && <PatchRows rows={rows} path={answer.path} form={form} isCut={answer.isCut} />}
    </>
  );
}

const MODE_NAMES: Readonly<Record<string, string>> = {
  "100644": "a file",
  "100755": "a program",
  "120000": "a link",
  "160000": "a repository inside",
};

function patchNotes({ modes: { before, after }, similarity, isBinary, hunks }: FilePatch): readonly string[] {
  const word = (mode: string): string => MODE_NAMES[mode] ?? `mode ${mode}`;
  const isEmpty = hunks.length === 0 && !isBinary && similarity === null && (before === null || after === null);
  return [
    before !== null && after !== null && `${word(before)} became ${word(after)}`,
    before === null && after !== null && after !== "100644" && `new: ${word(after)}`,
    similarity !== null && (similarity === 100 ? "renamed only" : `renamed, ${similarity} % the same`),
    isBinary && "binary file",
    isEmpty && "the file is empty",
  ].filter((note) => note !== false);
}

/** [W26] Every visit that changed the file, in order. */
function FileHistory(props: FilePatchProps & { readonly answer: PatchResponse }): ReactElement | null {
  const { cast, view, answer, onVisit } = props;
  const label = useId();
  const makers = checkpointAuthors(cast.replay.events(), answer.commits);
  if (makers.length === 0) return null;
  return (
    <div className={css("history")}>
      <span className={css("faint")} id={label}>
        Changed by
      </span>
      <ol aria-labelledby={label}>
        {makers.map((maker) => {
          if (maker.kind === "others") return <li key={maker.seq}>somebody else, before it was resumed</li>;
          const visit = view.allVisits.find((each) => each.socket === maker.socket && each.visit === maker.visit);
          return (
            <li key={`${maker.socket}#${maker.visit}`}>
              <button
                type="button"
                className={css("history-visit")}
                aria-current={visit && visit === view.visit ? "true" : undefined}
                title={visit?.item?.title}
                onClick={() => visit && onVisit(visit.index)}
              >
                {`${visit?.materia ?? maker.socket} ${maker.visit}`}
                {visit?.item && <span className={css("faint")}>{` item ${visit.item.index + 1}`}</span>}
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

export function RefusedNote(props: { readonly issues: readonly Issue[]; readonly again: () => void }): ReactElement {
  return (
    <div className={css("files-note")}>
      <IssueList issues={props.issues} />
      <Button onClick={props.again}>Try again</Button>
    </div>
  );
}

const STATUS_LABELS = {
  added: { sign: "A", word: "added", look: "file-added" },
  modified: { sign: "M", word: "changed", look: "" },
  deleted: { sign: "D", word: "deleted", look: "file-deleted" },
  renamed: { sign: "R", word: "renamed", look: "" },
  type: { sign: "T", word: "became something else", look: "" },
} as const satisfies Record<FileChange["status"], object>;

/** The files in the order of git; one tab stop, arrow keys move. */
export function ChangedFileList(props: {
  readonly files: readonly FileChange[];
  readonly chosen: string | null;
  readonly onChoose: (path: string) => void;
}): ReactElement {
  const { files, chosen, onChoose } = props;
  const list = useRef<HTMLUListElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = files.findIndex(({ path }) => path === chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: files.length - 1 }[event.key];
    const file = to === undefined ? undefined : files[to];
    if (!file || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(file.path);
    list.current?.querySelectorAll("button")[to]?.focus();
  };
  return (
    <ul className={css("file-list")} aria-label="Changed files" ref={list} onKeyDown={move}>
      {files.map((file) => {
        const { sign, word, look } = STATUS_LABELS[file.status];
        const cut = file.path.lastIndexOf("/") + 1;
        const was = file.from === undefined ? "" : `, was ${showHiddenCharacters(file.from)}`;
        return (
          <li key={file.path}>
            <button
              type="button"
              className={css("file-row")}
              aria-current={file.path === chosen ? "true" : undefined}
              tabIndex={file.path === chosen ? 0 : -1}
              title={`${showHiddenCharacters(file.path)}, ${word}${was}`}
              onClick={() => onChoose(file.path)}
            >
              <span className={css(`file-sign ${look}`)} aria-hidden="true">
                {sign}
              </span>
              <span className={css("file-name")}>
                <span className={css("cut")}>{showHiddenCharacters(file.path.slice(cut))}</span>
                {cut > 0 && <span className={css("cut faint")}>{showHiddenCharacters(file.path.slice(0, cut))}</span>}
              </span>
              <span className={css("spoken")}>{`, ${word}${was}, `}</span>
              <LineCounts file={file} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** `+41 −7`, or that the file is binary. */
function LineCounts({ file: { added, removed } }: { readonly file: FileChange }): ReactElement {
  if (added === null || removed === null) return <span className={css("faint")}>no text</span>;
  return (
    <span className={css("number file-lines")}>
      {added > 0 && <span className={css("file-added")}>{`+${added}`}</span>}{" "}
      {removed > 0 && <span className={css("file-deleted")}>{`−${removed}`}</span>}
    </span>
  );
}
