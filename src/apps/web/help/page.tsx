import type { ReactElement } from "react";
import guide from "../../../../docs/guides/page.md?raw";
import { Markdown } from "../ui/markdown.tsx";
import { bindSheets } from "../ui/classes.ts";
import helpSheet from "./help.module.css";

const css = bindSheets(helpSheet);

/** [W41] The guide of the page from the package. */
export default function HelpPage(): ReactElement {
  return (
    <section className={css("guide")} aria-label="Guide" tabIndex={0}>
      <h1>Guide</h1>
      {/* Its own title is the page's. */}
      <Markdown text={guide.replace(/^# .*\n/, "")} above={1} />
    </section>
  );
}
