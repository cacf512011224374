import { Component, type ReactElement, type ReactNode } from "react";
import { thrownMessage } from "../../../core/model/text.ts";
import { hrefOf } from "../browser/route.ts";
import { Button } from "../ui/buttons.tsx";
import { bindClassNames } from "../styles/classes.ts";
import pageSheet from "../styles/page.module.css";
import controlsSheet from "../ui/controls.module.css";

const css = bindClassNames(pageSheet, controlsSheet);

/** Shown in place of a page that failed to load or to draw. */
export class PageErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly problem: string | null }
> {
  override state = { problem: null };

  static getDerivedStateFromError(thrown: unknown): { readonly problem: string } {
    return { problem: thrownMessage(thrown) };
  }

  override render(): ReactNode {
    if (this.state.problem === null) return this.props.children;
    return (
      <div className={css("empty")} role="alert">
        <h1>This page cannot be shown</h1>
        <p>{this.state.problem}</p>
        <Button onClick={() => location.reload()}>Try again</Button>
        <a className={css("control-button")} href={hrefOf("casts")}>
          All casts
        </a>
      </div>
    );
  }
}

/** Shown for an unknown address. */
export function UnknownPage({ page }: { readonly page: string }): ReactElement {
  return (
    <div className={css("empty")}>
      <h1>There is no such page</h1>
      <p>{`Nothing is called "${page}" here.`}</p>
      <a className={css("control-button")} href={hrefOf("casts")}>
        All casts
      </a>
    </div>
  );
}
