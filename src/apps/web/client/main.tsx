import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ground/tokens.css";
import "./ground/base.css";
// In this order, so that what stands later may say more about what stands before it.
import "./ground/base.module.css";
import "./ground/page.module.css";
import "./parts/marks/orb.module.css";
import "./parts/marks/marks.module.css";
import "./parts/marks/cells.module.css";
import "./parts/controls/controls.module.css";
import "./parts/controls/toasts.module.css";
import "./parts/controls/dialog.module.css";
import "./parts/controls/fields.module.css";
import "./parts/controls/workbench.module.css";
import { App } from "./shell/app.tsx";
import { takeTokenFromUrl } from "./net/door.ts";
import { listenForKeys } from "./browser/keys.ts";
import { applyTheme } from "./shell/theme.ts";

takeTokenFromUrl();
applyTheme();
listenForKeys();

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
