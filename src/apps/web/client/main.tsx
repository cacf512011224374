import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ground/tokens.css";
import "./ground/base.css";
import "./parts/controls/controls.css";
import "./parts/marks/marks.css";
import "./parts/marks/orb.css";
import "./parts/controls/dialog.css";
import "./shell/shell.css";
import { App } from "./shell/app.tsx";
import { takeToken } from "./net/request.ts";
import { startKeys } from "./browser/keys.ts";
import { showTheme } from "./shell/theme.ts";

takeToken();
showTheme();
startKeys();

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
