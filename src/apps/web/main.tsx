import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/tokens.css";
import "./styles/base.css";
// The order matters: later sheets override earlier ones.
import "./styles/base.module.css";
import "./styles/page.module.css";
import "./ui/materia-icon.module.css";
import "./ui/marks.module.css";
import "./ui/item-cells.module.css";
import "./ui/controls.module.css";
import "./ui/toasts.module.css";
import "./ui/dialog.module.css";
import "./ui/fields.module.css";
import "./ui/editor-layout.module.css";
import { App, preloadPage } from "./app/app.tsx";
import { takeTokenFromUrl } from "./net/request.ts";
import { requestCastEarly } from "./net/api.ts";
import { followCastsOnce } from "./data/use-casts-and-fleet.ts";
import { loadCatalogOnce } from "./data/use-catalog.ts";
import { listenForKeys } from "./browser/keyboard.ts";
import { applyTheme } from "./browser/display.ts";
import { parseRoute } from "./browser/route.ts";

takeTokenFromUrl();
applyTheme();
listenForKeys();
requestFirstView();

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

/** Asks for the content of the page while the page itself still loads. */
function requestFirstView(): void {
  const route = parseRoute(location.hash);
  const { page, name } = route;
  preloadPage(route);
  if (page !== "casts") loadCatalogOnce();
  else if (name === null) followCastsOnce();
  else requestCastEarly(name);
}
