import { useRef, type KeyboardEvent, type ReactElement } from "react";
import type { FileChange } from "../../../core/model/checkpoint.ts";
import { showHiddenCharacters } from "../../../core/view/patch.ts";
import { bindSheets } from "../ui/classes.ts";
import filesSheet from "./files.module.css";

const css = bindSheets(filesSheet);

const STATUS_LABELS = {
  added: { sign: "A", word: "added", look: "file-added" },
  modified: { sign: "M", word: "changed", look: "" },
  deleted: { sign: "D", word: "deleted", look: "file-deleted" },
  renamed: { sign: "R", word: "renamed", look: "" },
  type: { sign: "T", word: "became something else", look: "" },
} as const satisfies Record<
  FileChange["status"],
  { readonly sign: string; readonly word: string; readonly look: string }
>;

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
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: files.length - 1,
    };
    const to = steps[event.key];
    const file = to === undefined ? undefined : files[to];
    if (!file || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(file.path);
    list.current?.querySelectorAll("button")[to]?.focus();
  };
  return (
    <ul className={css("file-list")} aria-label="Changed files" ref={list} onKeyDown={move}>
      {files.map((file) => (
        <li key={file.path}>
          <ChangedFileRow file={file} isChosen={file.path === chosen} onChoose={() => onChoose(file.path)} />
        </li>
      ))}
    </ul>
  );
}

function ChangedFileRow(props: {
  readonly file: FileChange;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): ReactElement {
  const { file, isChosen, onChoose } = props;
  const { sign, word, look } = STATUS_LABELS[file.status];
  const cut = file.path.lastIndexOf("/") + 1;
  const name = showHiddenCharacters(file.path.slice(cut));
  const folder = showHiddenCharacters(file.path.slice(0, cut));
  const was = file.from === undefined ? "" : `, was ${showHiddenCharacters(file.from)}`;
  return (
    <button
      type="button"
      className={css("file-row")}
      aria-current={isChosen ? "true" : undefined}
      tabIndex={isChosen ? 0 : -1}
      title={`${showHiddenCharacters(file.path)}, ${word}${was}`}
      onClick={onChoose}
    >
      <span className={css(`file-sign ${look}`)} aria-hidden="true">
        {sign}
      </span>
      <span className={css("file-name")}>
        <span className={css("cut")}>{name}</span>
        {folder !== "" && <span className={css("cut faint")}>{folder}</span>}
      </span>
      <span className={css("spoken")}>{`, ${word}${was}, `}</span>
      <LineCounts file={file} />
    </button>
  );
}

/** `+41 −7`, or that the file is binary. */
export function LineCounts({ file: { added, removed } }: { readonly file: FileChange }): ReactElement {
  if (added === null || removed === null) return <span className={css("faint")}>no text</span>;
  return (
    <span className={css("number file-lines")}>
      {added > 0 && <span className={css("file-added")}>{`+${added}`}</span>}{" "}
      {removed > 0 && <span className={css("file-deleted")}>{`−${removed}`}</span>}
    </span>
  );
}
