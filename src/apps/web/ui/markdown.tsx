import { marked, type MarkedToken, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactElement, type ReactNode } from "react";
import { CodeTokens } from "./code-tokens.tsx";
import styles from "./markdown.module.css";

/** Longer or deeper nested texts are shown raw: parsing them would block the page. */
const MAX_CHARACTERS = 200_000;
const MAX_DEPTH = 24;

/**
 * The Markdown of an agent: headings, lists, tables, code and links. Tokens become elements, never HTML:
 * a tag in the text is shown as text.
 */
export const Markdown = memo(function Markdown(props: {
  readonly text: string;
  /** The level of the heading above the text; panels have level 2. */
  readonly above?: 1 | 2;
}): ReactElement {
  const { text, above = 2 } = props;
  const tokens = parseTokens(text);
  if (!tokens) return <pre className={styles.plain}>{text}</pre>;
  const levels = headingLevels(tokens, above);
  return (
    <>
      {tokens.map((token, index) => (
        // The index is the key: tokens never move.
        <Block key={index} token={token} depth={0} level={levels.get(token) ?? null} />
      ))}
    </>
  );
});

function parseTokens(text: string): readonly Token[] | null {
  if (text.length > MAX_CHARACTERS) return null;
  try {
    return marked.lexer(text);
  } catch {
    // Nested too deeply for the lexer.
    return null;
  }
}

/** `level` is the level of a heading; null inside lists and quotations. */
function Block(props: { readonly token: Token; readonly depth: number; readonly level?: number | null }): ReactNode {
  const { token, depth, level = null } = props;
  if (depth > MAX_DEPTH) return <p>{token.raw}</p>;
  const known = token as MarkedToken; // the lexer has no extensions
  switch (known.type) {
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "heading":
      return <Heading level={level}>{renderInlineTokens(known.tokens, depth)}</Heading>;
    case "code":
      return (
        // It may be wider than its place: the keyboard must reach it.
        <pre className={styles["code-block"]} dir="ltr" tabIndex={0} role="group" aria-label="Code">
          <CodeTokens text={known.text} language={known.lang?.split(/\s/, 1)[0] ?? ""} />
        </pre>
      );
    case "blockquote":
      return (
        <blockquote className={styles.quote} dir={directionOf(known)}>
          {renderBlocks(known.tokens, depth)}
        </blockquote>
      );
    case "list":
      return <List list={known} depth={depth} />;
    case "table":
      return <Table table={known} depth={depth} />;
    case "hr":
      return <hr className={styles.rule} />;
    case "html":
      return <p>{known.raw.trimEnd()}</p>;
    case "paragraph":
      return <p dir="auto">{renderInlineTokens(known.tokens, depth)}</p>;
    case "text":
      return <>{known.tokens ? renderInlineTokens(known.tokens, depth) : decodeEntities(known.text)}</>;
    default:
      return <p>{token.raw}</p>;
  }
}

function renderBlocks(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, index) => <Block key={index} token={token} depth={depth + 1} />);
}

function Heading({ level, children }: { readonly level: number | null; readonly children: ReactNode }): ReactElement {
  // A heading inside a list or quotation is not a heading of the page.
  const Tag = level === null ? "p" : (`h${level}` as "h2"); // from 2 to 6
  return (
    <Tag className={styles.heading} dir="auto">
      {children}
    </Tag>
  );
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }): ReactElement {
  const items = list.items.map((item, index) => (
    <li key={index} className={item.task ? styles.task : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          disabled
          aria-label={item.checked ? "done" : "open"}
        />
      )}
      {renderBlocks(item.tokens, depth)}
    </li>
  ));
  const Tag = list.ordered ? "ol" : "ul";
  const start = list.ordered && typeof list.start === "number" ? { start: list.start } : {};
  return (
    <Tag className={styles.list} dir={directionOf(list)} {...start}>
      {items}
    </Tag>
  );
}

function Table({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }): ReactElement {
  const cell = ({ tokens, align }: Tokens.TableCell) => ({
    style: align === null ? undefined : { textAlign: align },
    children: renderInlineTokens(tokens, depth),
  });
  return (
    <div className={styles.table} role="group" aria-label="Table" tabIndex={0}>
      <table dir={directionOf(table)}>
        <thead>
          <tr>
            {table.header.map((each, index) => (
              <th key={index} scope="col" {...cell(each)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((each, at) => (
                <td key={at} {...cell(each)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `dir="auto"` would not look into the paragraphs of a list or a quotation. */
function directionOf({ raw }: Token): "rtl" | "ltr" {
  return /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(raw) ? "rtl" : "ltr";
}

function renderInlineTokens(tokens: readonly Token[], depth: number): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{renderInlineToken(token, depth + 1)}</Fragment>);
}

function renderInlineToken(token: Token, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return token.raw;
  const known = token as MarkedToken; // as above
  switch (known.type) {
    case "strong":
      return <strong>{renderInlineTokens(known.tokens, depth)}</strong>;
    case "em":
      return <em>{renderInlineTokens(known.tokens, depth)}</em>;
    case "del":
      return <del>{renderInlineTokens(known.tokens, depth)}</del>;
    case "codespan":
      return <code>{known.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={known.href}>{renderInlineTokens(known.tokens, depth)}</Link>;
    case "image":
      // Load nothing from other servers: show an image as a link.
      return <Link href={known.href}>{decodeEntities(known.text) || known.href}</Link>;
    case "escape":
      return known.text;
    case "text":
      return "tokens" in known && known.tokens ? renderInlineTokens(known.tokens, depth) : decodeEntities(known.text);
    default:
      return token.raw;
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }): ReactElement {
  // The address of an allowed link; null for every other scheme, even if disguised.
  const url = URL.parse(href);
  const address = url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  if (address === null) return <span title={href}>{children}</span>;
  return (
    <a href={address} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  );
}

/** Heading levels below the level of the page, without gaps. */
function headingLevels(tokens: readonly Token[], above: number): ReadonlyMap<Token, number> {
  const parents: { readonly depth: number; readonly level: number }[] = [];
  return new Map(
    tokens.filter(isHeading).map((token) => {
      while ((parents.at(-1)?.depth ?? 0) >= token.depth) parents.pop();
      const level = Math.min((parents.at(-1)?.level ?? above) + 1, 6);
      parents.push({ depth: token.depth, level });
      return [token, level];
    }),
  );
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** The named entities that people write in plain text; others stay unchanged. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6}));/g,
    (all, name: string | undefined, code?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? all;
      const point = Number(code);
      return point >= 32 && point <= 0xffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : all;
    },
  );
}
